import { canonicalAddress } from '@aish/http/address-kind';

/** The destination of a command, in the canonical form that rules use. */
export interface Target {
  /** A lower-case name without a final dot, or an address in canonical form. */
  readonly host: string;
  readonly port: number;
  readonly isAddress: boolean;
}

const AUTHORITY = /^(?<host>\[[\da-f:.]+\]|[^\s[\]:/?#@\\]+):(?<port>\d{1,5})$/i;
const NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** Parses the target of `CONNECT host:port`. Returns null if it is malformed. */
export function connectTarget(authority: string): Target | null {
  const { host, port } = AUTHORITY.exec(authority)?.groups ?? {};
  return host === undefined ? null : target(host, Number(port));
}

/** Parses the target and path of `GET http://host:port/path`. Returns null if they are malformed. */
export function absoluteTarget(text: string): { readonly target: Target; readonly path: string } | null {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const found = target(url.hostname, url.port === '' ? 80 : Number(url.port));
  return found === null ? null : { target: found, path: url.pathname + url.search };
}

/** Returns the host as headers and messages contain it, with an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Parses the host as browsers do: `0x7f.1`, `2130706433`, `127%2e0.0.1` and full-width digits are all 127.0.0.1. If the
 * result is not an address, no other parser will read an address from it.
 */
function target(rawHost: string, port: number): Target | null {
  if (port < 1 || port > 65_535 || !URL.canParse(`http://${rawHost}/`)) return null;
  const { hostname, username, password } = new URL(`http://${rawHost}/`);
  if (username !== '' || password !== '') return null;
  const plain = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const address = canonicalAddress(plain);
  if (address !== null) return { host: address, port, isAddress: true };
  return plain.length <= 253 && NAME.test(plain) ? { host: plain, port, isAddress: false } : null;
}
