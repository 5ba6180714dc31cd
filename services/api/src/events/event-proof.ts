import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { EventProof } from '@aish/contracts/incoming-events';

/** How far the time of a signature may be off. https://www.standardwebhooks.com leaves it to the receiver. */
const TOLERANCE_S = 300;

export interface Proof {
  /** Null: it comes from whom it says. */
  readonly refused: string | null;
  /** What names this delivery, where the sender proves it. */
  readonly delivery: string | null;
}

interface Sender {
  readonly proof: EventProof;
  readonly header: string | null;
  readonly secret: string;
}

/**
 * Whether an event comes from its sender.
 * @param body as it came, byte for byte. @param now in milliseconds.
 */
export function proofOf(sender: Sender, headers: IncomingHttpHeaders, body: Buffer, now: number): Proof {
  return PROOFS[sender.proof](sender, (name) => one(headers[name]), body, now);
}

type Check = (sender: Sender, header: (name: string) => string, body: Buffer, now: number) => Proof;

const PROOFS: Readonly<Record<EventProof, Check>> = {
  token: ({ header: name, secret }, header) => {
    const given = name === null ? credentials(header('authorization')) : header(name);
    return {
      refused: same(given, secret) ? null : `no or another token in ${name ?? 'authorization'}`,
      delivery: null,
    };
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: ({ secret }, header, body) =>
    signed('x-hub-signature-256', header, `sha256=${hmac(secret, body).toString('hex')}`),
  // https://docs.gitea.com/usage/repository/webhooks
  gitea: ({ secret }, header, body) => signed('x-gitea-signature', header, hmac(secret, body).toString('hex')),
  'standard-webhooks': ({ secret }, header, body, now) => {
    const id = header('webhook-id');
    const time = header('webhook-timestamp');
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
    const wanted = hmac(key, Buffer.concat([Buffer.from(`${id}.${time}.`), body])).toString('base64');
    // Several, while a secret is changed.
    const isSigned = header('webhook-signature')
      .split(' ')
      .some((signature) => same(signature, `v1,${wanted}`));
    const isLate = !/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_S;
    const refused = !isSigned || id === '' ? 'no or a wrong webhook-signature' : isLate ? 'a signature too old' : null;
    return { refused, delivery: id || null };
  },
};

/**
 * The signature names the delivery. The header with the name is not signed, so an observer could send it under a new
 * name.
 */
function signed(name: string, header: (name: string) => string, wanted: string): Proof {
  const given = header(name);
  return { refused: same(given, wanted) ? null : `no or a wrong ${name}`, delivery: given || null };
}

const hmac = (key: string | Buffer, body: Buffer): Buffer => createHmac('sha256', key).update(body).digest();
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Takes the same time for any input. */
const same = (given: string, wanted: string): boolean => given !== '' && timingSafeEqual(digest(given), digest(wanted));
const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

/** The token of Bearer, or the password of Basic. */
function credentials(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return '';
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1);
}
