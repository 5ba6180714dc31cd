import { lookup as lookupAll } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { McpHttpServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import { canonicalAddress, machineAddresses, addressKind } from '@aish/http/address-kind';
import { buildConnector } from 'undici';

/** The address of a server, and who configured it. */
export type Placed = Pick<McpHttpServer, 'url' | 'allowedAddresses'>;

/**
 * Returns why aish does not connect to `address` for a server; null if it does. The rules are those of the sandbox's
 * network: most servers reach only public addresses. An admin's server also reaches private ones, and this machine and
 * link-local addresses only if the URL names exactly that address (or `localhost`).
 */
function refusal(address: string, { url, allowedAddresses }: Placed): string | null {
  if (allowedAddresses === 'any') return null;
  const canonical = canonicalAddress(address);
  if (canonical === null) return `${address} is not an address to connect to`;
  switch (addressKind(canonical, machineAddresses())) {
    case 'public':
      return null;
    case 'private':
      return allowedAddresses === 'private'
        ? null
        : `${canonical} is in a private network; only an admin can connect it`;
    case 'own':
      if (allowedAddresses === 'private' && names(url, canonical)) return null;
      return `${canonical} belongs to this machine or its local link; only an admin can connect it, by that exact address`;
    case 'never':
      return `${canonical} is not an address to connect to`;
  }
}

function names(url: string, canonical: string): boolean {
  const host = hostOf(new URL(url).hostname);
  if (host === 'localhost') return canonical === '127.0.0.1' || canonical === '::1';
  return canonicalAddress(host) === canonical;
}

/** Removes the brackets of an IPv6 address. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Fails early for an address that is not allowed. A name that is unknown now may be known later, so each connection is
 * checked again.
 *
 * @throws AishError `forbidden`
 */
export async function requireAllowedAddress(server: Placed): Promise<void> {
  const host = hostOf(new URL(server.url).hostname);
  const found = await lookup(host, { all: true }).catch(() => []);
  const refused = found.flatMap(({ address }) => refusal(address, server) ?? [])[0];
  if (refused !== undefined) throw new AishError('forbidden', `${host}: ${refused}`, { needed: 'admin' });
}

/** Errors of requests that had no connection. */
const unconnected = new WeakSet<Error>();

/** Whether a request failed before it was sent, because there was no connection. */
export function isUnconnected(error: unknown): boolean {
  return error instanceof Error && (unconnected.has(error) || isUnconnected(error.cause));
}

/**
 * Makes a connector that only connects to addresses that the server is allowed to reach. This includes redirects and
 * all addresses that the server names.
 */
export function guardedConnector(server: Placed, timeoutMs: number): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, options, done) => {
    lookupAll(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      // One forbidden address is enough: a name that is both public and private is suspicious.
      const refused = found.flatMap(({ address }) => refusal(address, server) ?? [])[0];
      if (refused !== undefined) return done(unreachable(hostname, refused), '');
      if (options.all === true) return done(null, found);
      const [first] = found;
      return first === undefined
        ? done(unreachable(hostname, 'it has no address'), '')
        : done(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup });
  return (options, answer) => {
    const done: typeof answer = (...outcome) => {
      if (outcome[0] !== null) unconnected.add(outcome[0]);
      answer(...outcome);
    };
    const host = hostOf(options.hostname);
    // An address needs no name lookup.
    const refused = canonicalAddress(host) === null ? null : refusal(host, server);
    if (refused === null) connect(options, done);
    else done(unreachable(host, refused), null);
  };
}

function unreachable(host: string, why: string): AishError {
  return new AishError('mcp_unreachable', `aish does not connect to ${host}: ${why}`);
}
