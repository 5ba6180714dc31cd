import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { RunSecret } from '@aish/contracts/secrets';
import type { Target } from '../network/target.js';
import { Replacer } from './replacer.js';

/** Returns the secrets that may go to a target, with TLS or without it. */
export function secretsFor(secrets: readonly RunSecret[], { host, port }: Target, tls: boolean): readonly RunSecret[] {
  return secrets.filter(({ targets }) =>
    targets.some((target) => target.host === host && target.port === port && target.tls === tls),
  );
}

/** Returns the path and query of a request, with placeholders replaced by values. */
export function revealPath(path: string, secrets: readonly RunSecret[]): string {
  return secrets.reduce(
    (text, { placeholder, value }) => text.replaceAll(placeholder, encodeURIComponent(value)),
    path,
  );
}

/** Returns headers with placeholders replaced by values, also inside `Basic` credentials. */
export function revealHeaders(headers: OutgoingHttpHeaders, secrets: readonly RunSecret[]): OutgoingHttpHeaders {
  const reveal = (text: string) => revealText(revealBasic(text, secrets), secrets);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map(reveal)];
      return [name, typeof value === 'string' ? reveal(value) : value];
    }),
  );
}

export function revealText(text: string, secrets: readonly RunSecret[]): string {
  return secrets.reduce((revealed, { placeholder, value }) => revealed.replaceAll(placeholder, value), text);
}

/** Replaces placeholders inside `Basic` credentials, where user and password are in base64 (RFC 7617). */
function revealBasic(text: string, secrets: readonly RunSecret[]): string {
  const credentials = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(text)?.[1];
  if (credentials === undefined) return text;
  const plain = Buffer.from(credentials, 'base64').toString('utf8');
  const revealed = revealText(plain, secrets);
  return revealed === plain ? text : `Basic ${Buffer.from(revealed).toString('base64')}`;
}

/** Returns the headers of a response with values replaced by placeholders. */
export function concealHeaders(headers: IncomingHttpHeaders, secrets: readonly RunSecret[]): OutgoingHttpHeaders {
  const conceal = (text: string) => {
    const replacer = concealer(secrets);
    return Buffer.concat([replacer.push(Buffer.from(text, 'latin1')), replacer.end()]).toString('latin1');
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (value === undefined) return [name, value];
      return [name, Array.isArray(value) ? value.map(conceal) : conceal(value)];
    }),
  );
}

/**
 * Returns a replacer that replaces values in a response with placeholders. It finds values in plain text, URLs, JSON,
 * HTML, base64 and hex.
 */
export function concealer(secrets: readonly RunSecret[]): Replacer {
  return new Replacer(
    secrets.flatMap(({ value, placeholder }) => formsOf(value).map((of) => ({ of, by: placeholder }))),
  );
}

/** Returns the encodings in which tools print a text. A text that is broken across lines is not found. */
function formsOf(value: string): readonly string[] {
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  const hex = Buffer.from(value).toString('hex');
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    html,
    ...base64Forms(value),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set(forms)];
}

/** Returns whether a text contains a secret, in any encoding, even split into the labels of a host name. */
export function holdsSecret(text: string, secrets: readonly RunSecret[]): boolean {
  const [whole, joined] = [text.toLowerCase(), text.toLowerCase().replaceAll('.', '')];
  return secrets
    .flatMap(({ value }) => [...formsOf(value), value.replaceAll('.', '')])
    .map((form) => form.toLowerCase())
    .some((form) => whole.includes(form) || joined.includes(form));
}

/** Returns the base64 characters that depend only on the value, for each of the three possible offsets. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString('base64');
    const bits = (offset + Buffer.byteLength(value)) * 8;
    const stable = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
