import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { RunSecret } from '@aish/contracts/secrets';
import type { Target } from '../network/target.js';
import { Replacer } from './replacer.js';

/** The secrets that may go to a target over TLS, or without it. */
export function secretsFor(secrets: readonly RunSecret[], { host, port }: Target, tls: boolean): readonly RunSecret[] {
  return secrets.filter(({ targets }) =>
    targets.some((target) => target.host === host && target.port === port && target.tls === tls),
  );
}

/** The path and query of a request, with values in the place of placeholders. */
export function revealPath(path: string, secrets: readonly RunSecret[]): string {
  return secrets.reduce(
    (text, { placeholder, value }) => text.replaceAll(placeholder, encodeURIComponent(value)),
    path,
  );
}

/** Headers with values in the place of placeholders, also within the credentials of `Basic`. */
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

/** RFC 7617: the user and the password stand in base64. */
function revealBasic(text: string, secrets: readonly RunSecret[]): string {
  const credentials = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(text)?.[1];
  if (credentials === undefined) return text;
  const plain = Buffer.from(credentials, 'base64').toString('utf8');
  const revealed = revealText(plain, secrets);
  return revealed === plain ? text : `Basic ${Buffer.from(revealed).toString('base64')}`;
}

/** Headers of an answer, with placeholders in the place of values. */
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

/** Puts placeholders where an answer echoes values: as they are, in a URL, in JSON, in HTML, in base64, in hex. */
export function concealer(secrets: readonly RunSecret[]): Replacer {
  return new Replacer(
    secrets.flatMap(({ value, placeholder }) => formsOf(value).map((of) => ({ of, by: placeholder }))),
  );
}

/** The forms that tools give a text in what they print; what is broken over lines is none of them. */
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

/** Whether a text holds one of them, however it is written and cut into the labels of a name. */
export function holdsSecret(text: string, secrets: readonly RunSecret[]): boolean {
  const [whole, joined] = [text.toLowerCase(), text.toLowerCase().replaceAll('.', '')];
  return secrets
    .flatMap(({ value }) => [...formsOf(value), value.replaceAll('.', '')])
    .map((form) => form.toLowerCase())
    .some((form) => whole.includes(form) || joined.includes(form));
}

/** The characters of base64 that a value alone decides, at each of the three places where it may begin. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString('base64');
    const bits = (offset + Buffer.byteLength(value)) * 8;
    const stable = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
