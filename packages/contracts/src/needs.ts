import * as z from 'zod';
import { HostName } from './hosts.js';
import { ImageName } from './images.js';
import { NetworkHost } from './network.js';
import { CERTIFICATES_MAX_CHARS, SecretName, SecretTarget, addressOf } from './secrets.js';

const why = z.string();

/** Access that a model asks for by name, with a line `NEED: …` in its answer. */
export const Need = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('secret'), name: SecretName, target: SecretTarget, why }),
  z.object({ kind: z.literal('host'), name: HostName, why }),
  z.object({ kind: z.literal('network'), host: NetworkHost, port: z.int().min(1).max(65_535), why }),
  z.object({ kind: z.literal('image'), name: ImageName, why }),
]);
export type Need = z.infer<typeof Need>;

/** A need in the form that a step stores. */
export const NeedLine = z.object({ kind: z.literal('need'), need: Need });

/** Maximum characters of the reason. The rest is cut off. */
const NEED_WHY_MAX_CHARS = 1_000;

/** Matches a place or a name, which ends at a space. A colon before the space introduces the reason. */
const WORD = String.raw`(\S+?)[:,.;]?(?:\s+([\s\S]*))?$`;
const SECRET = new RegExp(String.raw`^secret\s+\$?(\w+)\s+for\s+${WORD}`, 'i');
const NETWORK = new RegExp(String.raw`^network\s+(?:to\s+)?${WORD}`, 'i');
const HOST = new RegExp(String.raw`^host\s+${WORD}`, 'i');
const IMAGE = new RegExp(String.raw`^(?:image|toolbox)\s+${WORD}`, 'i');

/**
 * Parses the text after `NEED:`, as a model writes it and as a decision shows it.
 *
 * @example readNeed('secret GRAFANA_TOKEN for https://grafana.lan:3000: to read the alerts')
 * @returns null if the text names nothing that aish can give.
 */
export function readNeed(text: string): Need | null {
  const line = text.trim();
  const [, secret, place, purpose] = SECRET.exec(line) ?? [];
  if (secret !== undefined && place !== undefined) return secretNeed(secret, place, whyOf(purpose));
  const [, way, reason] = NETWORK.exec(line) ?? [];
  if (way !== undefined) return networkNeed(way, whyOf(reason));
  const [, host, task] = HOST.exec(line) ?? [];
  if (host !== undefined) return named('host', HostName, host, whyOf(task));
  const [, image, use] = IMAGE.exec(line) ?? [];
  return image === undefined ? null : named('image', ImageName, image, whyOf(use));
}

/** The whole need on one line. A person sees this line and the verdict covers it. `readNeed` parses it. */
export function needLine(need: Need): string {
  const reason = need.why === '' ? '' : `: ${need.why}`;
  return `${needName(need)}${reason}`;
}

/** The requested access, without the reason. */
export function needName(need: Need): string {
  switch (need.kind) {
    case 'secret':
      return `secret ${need.name} for ${addressOf(need.target)}`;
    case 'network':
      return `network ${need.host}:${need.port}`;
    case 'host':
    case 'image':
      return `${need.kind} ${need.name}`;
  }
}

/** Marks a form field for certificates (PEM), which have many lines and usually come from a file. */
export const CERTIFICATE_FORMAT = 'pem';

/**
 * The values that a person adds to a `proceed`. The value of a secret goes to the secret store and is kept nowhere
 * else.
 */
export const NeedAnswer = z.strictObject({
  /** The value of a secret that is not set yet; empty if it is set. */
  value: z.string().max(8_192).optional(),
  /**
   * The certificate of the server or of its authority (PEM), if a secret is sent over TLS to a server without a
   * publicly trusted certificate.
   */
  certificate: z.string().max(CERTIFICATES_MAX_CHARS).optional(),
  /** Whether the place is in the local network. Only then may its name resolve to a private address. */
  local: z.boolean().optional(),
  /** `goal`: only the goal or chat that asks. `space`: also everything that begins in its space from now on. */
  for: z.enum(['goal', 'space']).default('goal'),
});
export type NeedAnswer = z.infer<typeof NeedAnswer>;

/**
 * Returns the answer's form: a JSON schema, as decisions contain it. A field with `format: password` is hidden while it
 * is typed. A `writeOnly` field is not stored with the decision.
 */
export function needRequest(need: Need, of: 'goal' | 'chat'): Record<string, unknown> {
  const place = need.kind === 'secret' ? need.target.host : need.kind === 'network' ? need.host : null;
  const value = {
    type: 'string',
    title: 'value',
    description: 'hidden; leave it empty if the secret is already set',
    format: 'password',
    writeOnly: true,
    maxLength: 8_192,
  };
  const certificate = {
    type: 'string',
    title: 'certificate',
    description: 'of the server or its authority (PEM), if no public authority signed it',
    format: CERTIFICATE_FORMAT,
    writeOnly: true,
    maxLength: CERTIFICATES_MAX_CHARS,
  };
  const local = {
    type: 'boolean',
    title: 'local network',
    description: `whether ${place ?? ''} is in your local network, with a private address`,
    default: place !== null && looksLocal(place),
  };
  const access = {
    type: 'string',
    title: 'for',
    oneOf: [
      { const: 'goal', title: `this ${of}` },
      { const: 'space', title: 'its space, too: all new goals and chats there' },
    ],
    default: 'goal',
  };
  return {
    type: 'object',
    properties: {
      ...(need.kind === 'secret' ? { value } : {}),
      ...(need.kind === 'secret' && need.target.tls ? { certificate } : {}),
      ...(place === null || place.startsWith('*') ? {} : { local }),
      for: access,
    },
    required: [],
    additionalProperties: false,
  };
}

/** Names of fields that are not stored with the decision. */
export function hiddenFields(request: Readonly<Record<string, unknown>> | null): readonly string[] {
  const properties = z
    .record(z.string(), z.object({ format: z.string().optional(), writeOnly: z.boolean().optional() }))
    .safeParse(request?.['properties']);
  if (!properties.success) return [];
  return Object.entries(properties.data).flatMap(([name, { format, writeOnly }]) =>
    format === 'password' || writeOnly === true ? [name] : [],
  );
}

function secretNeed(name: string, place: string, reason: string): Need | null {
  const target = targetOf(place);
  const named = SecretName.safeParse(name);
  return target === null || !named.success ? null : { kind: 'secret', name: named.data, target, why: reason };
}

function networkNeed(place: string, reason: string): Need | null {
  const at = placeOf(place);
  const host = NetworkHost.safeParse(at?.host);
  return at === null || !host.success ? null : { kind: 'network', host: host.data, port: at.port ?? 443, why: reason };
}

function named(kind: 'host' | 'image', schema: z.ZodType<string>, name: string, reason: string): Need | null {
  const read = schema.safeParse(name.toLowerCase());
  return read.success ? { kind, name: read.data, why: reason } : null;
}

function targetOf(place: string): SecretTarget | null {
  const at = placeOf(place);
  if (at === null) return null;
  const { host, port, tls } = at;
  const read = SecretTarget.safeParse({ host, tls, ...(port === null ? { port: tls ? 443 : 80 } : { port }) });
  return read.success ? read.data : null;
}

/** Splits a place, for example `https://grafana.lan:3000/api`, `grafana.lan:3000` or `grafana.lan`. */
function placeOf(text: string): { readonly host: string; readonly port: number | null; readonly tls: boolean } | null {
  const [, scheme = 'https', bracketed, plain = '', port] =
    /^(?:(https?):\/\/)?(?:\[([0-9a-fA-F:]+)\]|([^/:?#@\s]+))(?::(\d{1,5}))?(?:[/?#]\S*)?$/i.exec(text) ?? [];
  const host = (bracketed ?? plain).toLowerCase();
  if (host === '') return null;
  const number = port === undefined ? null : Number(port);
  if (number !== null && (number < 1 || number > 65_535)) return null;
  return { host, port: number, tls: scheme.toLowerCase() === 'https' };
}

function whyOf(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, NEED_WHY_MAX_CHARS);
}

/** Guesses whether a host is local, for the default of the form. The person can correct it. */
function looksLocal(host: string): boolean {
  if (/^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|127\.|f[cd][0-9a-f]{2}:)/.test(host)) return true;
  return /(?:^[^.:]+|\.(?:lan|local|home|internal|home\.arpa))$/.test(host);
}
