import { createECDH, createPrivateKey } from 'node:crypto';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { dropPushEndpoint, listPushTargets, type PushTarget } from '@aish/database/push-subscriptions.repository';
import ece from 'http_ece';
import { SignJWT } from 'jose';
import type { Channel } from './channel.js';
import type { NotificationText } from './notification.js';

/** The name of the key that identifies this deployment to push services. */
export const PUSH_KEY = 'web-push';
/** The maximum size of a payload. Every push service accepts 4,096 bytes, and encryption needs some of them. */
const PAYLOAD_MAX_BYTES = 3_000;
const TTL_S = 86_400;
/** A retry cannot fix these errors: the subscription is gone, or this deployment has another key now. */
const GONE: readonly number[] = [403, 404, 410];

/** Returns the VAPID key pair (RFC 8292) that is derived from 32 random bytes. */
export function vapidKeys(secret: Uint8Array): { readonly publicKey: string; readonly privateJwk: object } {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const d = Buffer.from(secret).toString('base64url');
  return { publicKey: point.toString('base64url'), privateJwk: { kty: 'EC', crv: 'P-256', x, y, d } };
}

/** A text of this length fits into a message even if each character takes three bytes. */
const TEXT_MAX_CHARS = 900;

/**
 * Returns whether messages may go to an endpoint. `services` are origins, and `*.` before a name matches its
 * subdomains.
 */
export function isPushService(endpoint: string, services: readonly string[]): boolean {
  const { origin, protocol, host, username, password } = new URL(endpoint);
  if (protocol !== 'https:' || username !== '' || password !== '') return false;
  return services.some((each) => (each.includes('*.') ? host.endsWith(each.split('*')[1] ?? '?') : each === origin));
}

/**
 * Returns the content for the service worker. Nobody should read half of an action: if the action does not fit, the
 * page behind the notification shows it.
 */
export function pushText({ id, title, text, goal, decision }: NotificationText): object {
  if (goal === null) return { id, title, text: text.slice(0, TEXT_MAX_CHARS), at: 'lab' };
  const at = decision === null ? `goals/${goal.number}` : `decisions/d${decision.number}`;
  const whole = { id, title, text, at };
  const fits = decision?.isWhole !== false && Buffer.byteLength(JSON.stringify(whole)) <= PAYLOAD_MAX_BYTES;
  return fits ? whole : { ...whole, title: title.slice(0, 200), text: 'Open it to read the rest.' };
}

/** Encrypts a message for one browser (RFC 8291) with a new key pair. */
function encrypted(payload: object, dh: string, authSecret: string): Uint8Array<ArrayBuffer> {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  const text = Buffer.from(JSON.stringify(payload));
  return new Uint8Array(ece.encrypt(text, { version: 'aes128gcm', privateKey, dh, authSecret }));
}

export interface PushSettings {
  readonly key: Uint8Array;
  /** The allowed origins of push services. */
  readonly services: readonly string[];
  /** The contact for push services: `mailto:` or `https:`. */
  readonly contact: string;
}

/**
 * Sends messages to the browsers of signed-in people through their push services. The services see who gets a message
 * and when, but not its content.
 */
export class PushChannel implements Channel {
  readonly name = 'push';
  private readonly publicKey: string;
  private readonly privateJwk: object;

  constructor(
    private readonly db: Database,
    private readonly settings: PushSettings,
  ) {
    ({ publicKey: this.publicKey, privateJwk: this.privateJwk } = vapidKeys(settings.key));
  }

  async send(notification: NotificationText, signal: AbortSignal): Promise<void> {
    const targets = await listPushTargets(this.db.statements, notification.to);
    const message = pushText(notification);
    const sent = await Promise.allSettled(
      targets.map((target) => this.tell(target, message, notification.isUrgent, signal)),
    );
    const failed = sent.filter(({ status }) => status === 'rejected');
    // A retry sends to the other browsers again, but they show the notification once: a repeated notification replaces
    // the first one.
    if (failed.length > 0) throw (failed[0] as PromiseRejectedResult).reason;
  }

  private async tell(target: PushTarget, payload: object, isUrgent: boolean, signal: AbortSignal): Promise<void> {
    const { endpoint, p256dh, auth } = target;
    if (!isPushService(endpoint, this.settings.services)) return dropPushEndpoint(this.db.statements, endpoint);
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization: `vapid t=${await this.proof(endpoint)}, k=${this.publicKey}`,
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(TTL_S),
        urgency: isUrgent ? 'high' : 'normal',
      },
      body: encrypted(payload, p256dh, auth),
      redirect: 'error',
      signal,
    });
    await response.body?.cancel();
    if (GONE.includes(response.status)) return dropPushEndpoint(this.db.statements, endpoint);
    if (!response.ok)
      throw new AishError('notification_refused', `a push service answered with status ${response.status}`);
  }

  /** Returns the header that identifies the sender (RFC 8292) to this push service for half a day. */
  private proof(endpoint: string): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(new URL(endpoint).origin)
      .setSubject(this.settings.contact)
      .setExpirationTime('12h')
      .sign(createPrivateKey({ key: { ...this.privateJwk }, format: 'jwk' }));
  }

  close(): void {
    // There is nothing to close here.
  }
}
