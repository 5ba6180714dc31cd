import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { EventProof } from '@aish/contracts/incoming-events';

/**
 * The clock difference that a signature may have. https://www.standardwebhooks.com leaves the value to the receiver.
 */
const TOLERANCE_S = 300;

export interface Proof {
  /** The reason why the event was refused, or null if it is authentic. */
  readonly refused: string | null;
  /** The signed name of this delivery, if the sender signs such a name. */
  readonly delivery: string | null;
}

interface Sender {
  readonly proof: EventProof;
  readonly header: string | null;
  readonly secret: string;
}

/** Checks that an event comes from its sender. @param body the raw bytes @param now in milliseconds */
export function proofOf(sender: Sender, headers: IncomingHttpHeaders, body: Buffer, now: number): Proof {
  return PROOFS[sender.proof](sender, (name) => one(headers[name]), body, now);
}

type Check = (sender: Sender, header: (name: string) => string, body: Buffer, now: number) => Proof;

const PROOFS: Readonly<Record<EventProof, Check>> = {
  token: ({ header: name, secret }, header) => {
    const given = name === null ? credentials(header('authorization')) : header(name);
    return {
      refused: same(given, secret) ? null : `missing or wrong token in ${name ?? 'authorization'}`,
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
    // There are several signatures while a secret is being changed.
    const isSigned = header('webhook-signature')
      .split(' ')
      .some((signature) => same(signature, `v1,${wanted}`));
    const isLate = !/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_S;
    const refused =
      !isSigned || id === '' ? 'missing or wrong webhook-signature' : isLate ? 'the signature is too old' : null;
    return { refused, delivery: id || null };
  },
};

/**
 * Checks a signature, which then identifies the delivery. The delivery header is not signed, so an observer could
 * replay the event under a new name.
 */
function signed(name: string, header: (name: string) => string, wanted: string): Proof {
  const given = header(name);
  return { refused: same(given, wanted) ? null : `missing or wrong ${name}`, delivery: given || null };
}

const hmac = (key: string | Buffer, body: Buffer): Buffer => createHmac('sha256', key).update(body).digest();
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Compares two texts in a time that does not depend on them. */
const same = (given: string, wanted: string): boolean => given !== '' && timingSafeEqual(digest(given), digest(wanted));
const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

/** Returns the token of a Bearer header, or the password of a Basic header. */
function credentials(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return '';
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1);
}
