import * as z from 'zod';
import { NetworkHost } from './network.js';

/** Also the variable that a command finds. */
export const SecretName = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, {
  error: 'must be capital letters, digits and underscores, as a variable is named',
});

/** Where a secret may go: one host, one port, over TLS unless said otherwise. */
export const SecretTarget = z.strictObject({
  /** One exact name or address, lower case. */
  host: z
    .string()
    .regex(
      /^(?:(?:[a-z0-9][a-z0-9-]{0,40}\.){0,4}[a-z][a-z0-9-]{0,40}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f]{1,4}:[0-9a-f:]{1,39})$/,
    )
    .refine((host) => NetworkHost.safeParse(host).success, { error: 'must be one exact host name or IP address' }),
  port: z.int().min(1).max(65_535).default(443),
  tls: z.boolean().default(true),
});
export type SecretTarget = z.infer<typeof SecretTarget>;

/** `https://grafana.lan:3000` */
export function addressOf({ host, port, tls }: SecretTarget): string {
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${shownHost}${port === (tls ? 443 : 80) ? '' : `:${port}`}`;
}

/** One line, because headers contain it. Shorter values would match parts of unrelated texts. */
export const SecretValue = z
  .string()
  .regex(/^[\x20-\x7e]{8,8192}$/, { error: 'must be one line of 8 to 8,192 printable ASCII characters' });

const CERTIFICATES_MAX = 8;
/** The maximum length of these certificates as people paste them, including other text of their file. */
export const CERTIFICATES_MAX_CHARS = 40_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const CERTIFICATES = /^(?:-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]{1,8192}-----END CERTIFICATE-----\n?){1,8}$/;

/**
 * The certificates in a text (PEM), each once, as a file or a paste has them: with other lines, and lines that broke
 * elsewhere. @returns null where there is none, or too many
 */
export function certificatesIn(text: string): string | null {
  const found = [...text.matchAll(CERTIFICATE)].map(([, body = '']) => {
    const lines = body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  });
  const each = [...new Set(found)];
  return each.length === 0 || each.length > CERTIFICATES_MAX ? null : each.join('');
}

const What = {
  /** None: it goes nowhere through the proxy. */
  targets: z.array(SecretTarget).max(20),
  /** Whether commands have it in clear: for tools that need the value itself. What they print has the placeholder. */
  exposed: z.boolean(),
  /** Whether it is also put in where the body of a request has the placeholder; such a body has at most 1 MiB. */
  body: z.boolean(),
  /** The server's certificate or its authority's (PEM), where no public one signed it. */
  certificate: z.string().regex(CERTIFICATES, { error: 'must be certificates in PEM, and nothing else' }).nullable(),
};

/** A secret is set as a whole. To move it to another host, a person has to know its value. */
export const SetSecret = z
  .strictObject({
    value: SecretValue,
    ...What,
    targets: What.targets.default([]),
    exposed: What.exposed.default(false),
    body: What.body.default(false),
    certificate: What.certificate.default(null),
  })
  .refine(
    ({ targets, exposed }) => targets.length > 0 || exposed,
    'Say where it may go, or that commands have it in clear',
  )
  .meta({ id: 'SetSecret' });
export type SetSecret = z.infer<typeof SetSecret>;

/** What is told of a secret; never its value. */
export const Secret = z
  .object({ name: SecretName, ...What, setBy: z.string(), setAt: z.iso.datetime() })
  .meta({ id: 'Secret' });
export type Secret = z.infer<typeof Secret>;

export const SecretList = z.object({ items: z.array(Secret) }).meta({ id: 'SecretList' });
export type SecretList = z.infer<typeof SecretList>;

/** A text that somebody is about to send. */
export const LookForSecrets = z.strictObject({ text: z.string().max(200_000) }).meta({ id: 'LookForSecrets' });
export type LookForSecrets = z.infer<typeof LookForSecrets>;

/** What a text looks like it holds, as rules call it: an AWS access key, say. */
export const FoundSecrets = z.object({ titles: z.array(z.string()) }).meta({ id: 'FoundSecrets' });
export type FoundSecrets = z.infer<typeof FoundSecrets>;

/** Names of the secrets that commands of one session may use. */
export const SessionSecrets = z.strictObject({ names: z.array(SecretName).max(50) }).meta({ id: 'SessionSecrets' });
export type SessionSecrets = z.infer<typeof SessionSecrets>;

/** A secret as a run uses it: the command has the placeholder, the proxy on its way out the value; or the command has it. */
export const RunSecret = z.strictObject({
  name: SecretName,
  value: SecretValue,
  placeholder: z.string().regex(/^aish-secret-[a-z0-9]{20,64}$/),
  ...What,
  exposed: What.exposed.default(false),
});
export type RunSecret = z.infer<typeof RunSecret>;
