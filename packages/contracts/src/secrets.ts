import * as z from 'zod';
import { NetworkHost } from './network.js';

/** The name of a secret, which is also the name of the command's variable. */
export const SecretName = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, {
  error: 'must be a variable name: capital letters, digits and underscores',
});

/** A destination of a secret: one host, one port, over TLS by default. */
export const SecretTarget = z.strictObject({
  /** One exact name or address in lower case. */
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

/** Returns the address as a URL, for example `https://grafana.lan:3000`. */
export function addressOf({ host, port, tls }: SecretTarget): string {
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${shownHost}${port === (tls ? 443 : 80) ? '' : `:${port}`}`;
}

/**
 * The value of a secret. It is one line, because headers contain it. A shorter value would match parts of unrelated
 * texts.
 */
export const SecretValue = z
  .string()
  .regex(/^[\x20-\x7e]{8,8192}$/, { error: 'must be one line of 8 to 8,192 printable ASCII characters' });

const CERTIFICATES_MAX = 8;
/** Maximum length of certificates as people paste them, including the other text of their file. */
export const CERTIFICATES_MAX_CHARS = 40_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const CERTIFICATES = /^(?:-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]{1,8192}-----END CERTIFICATE-----\n?){1,8}$/;

/**
 * Returns the certificates in a text (PEM), each once. The text may have other lines and different line breaks.
 *
 * @returns null if there are none, or too many
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
  /** The servers to which the secret may go. If the list is empty, the proxy sends it nowhere. */
  targets: z.array(SecretTarget).max(20),
  /** Whether commands get the value itself, for tools that need it. Their output shows the placeholder. */
  exposed: z.boolean(),
  /** Whether the proxy also replaces the placeholder in the body of a request. Such a body may have at most 1 MiB. */
  body: z.boolean(),
  /** The certificate of the server or of its authority (PEM), if it is not publicly trusted. */
  certificate: z.string().regex(CERTIFICATES, { error: 'must contain only certificates in PEM format' }).nullable(),
};

/** A secret is always set as a whole, so a person needs its value to change its hosts. */
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
    'Name at least one target, or expose the secret to commands',
  )
  .meta({ id: 'SetSecret' });
export type SetSecret = z.infer<typeof SetSecret>;

/** The properties of a secret that aish shows. Its value is never shown. */
export const Secret = z
  .object({ name: SecretName, ...What, setBy: z.string(), setAt: z.iso.datetime() })
  .meta({ id: 'Secret' });
export type Secret = z.infer<typeof Secret>;

export const SecretList = z.object({ items: z.array(Secret) }).meta({ id: 'SecretList' });
export type SecretList = z.infer<typeof SecretList>;

/** A text that somebody is about to send. */
export const FindSecrets = z.strictObject({ text: z.string().max(200_000) }).meta({ id: 'FindSecrets' });
export type FindSecrets = z.infer<typeof FindSecrets>;

/** Names of the suspected secrets in a text, for example an AWS access key. */
export const FoundSecrets = z.object({ titles: z.array(z.string()) }).meta({ id: 'FoundSecrets' });
export type FoundSecrets = z.infer<typeof FoundSecrets>;

/** Names of the secrets that commands of one session may use. */
export const SessionSecrets = z.strictObject({ names: z.array(SecretName).max(50) }).meta({ id: 'SessionSecrets' });
export type SessionSecrets = z.infer<typeof SessionSecrets>;

/**
 * A secret for a run. The command has the placeholder, and the proxy replaces it in outgoing requests. If `exposed`,
 * the command has the value.
 */
export const RunSecret = z.strictObject({
  name: SecretName,
  value: SecretValue,
  placeholder: z.string().regex(/^aish-secret-[a-z0-9]{20,64}$/),
  ...What,
  exposed: What.exposed.default(false),
});
export type RunSecret = z.infer<typeof RunSecret>;
