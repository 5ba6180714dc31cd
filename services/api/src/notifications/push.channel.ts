import { createECDH, createPrivateKey } from 'node:crypto';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { dropPushEndpoint, listPushTargets, type PushTarget } from '@aish/database/push-subscriptions.repository';
import ece from 'http_ece';
import { SignJWT } from 'jose';
import type { Channel } from './channel.js';
import type { NoticeText } from './notice.js';

/** The name of the key that push services know this deployment by. */
export const PUSH_KEY = 'web-push';
/** Of 4,096 bytes that every push service takes, less what encryption adds. */
const PAYLOAD_MAX_BYTES = 3_000;
const TTL_S = 86_400;
/** What no later attempt would change: nobody is there any more, or this deployment has another key by now. */
const GONE: readonly number[] = [403, 404, 410];

/** The key pair of VAPID (RFC 8292) that belongs to 32 random bytes. */
export function vapidKeys(secret: Uint8Array): { readonly publicKey: string; readonly privateJwk: object } {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const d = Buffer.from(secret).toString('base64url');
  return { publicKey: point.toString('base64url'), privateJwk: { kty: 'EC', crv: 'P-256', x, y, d } };
}

/** In characters of three bytes at most it fits a message. */
const TEXT_MAX_CHARS = 900;

/** Whether notices may go there: `services` are origins, `*.` before a name stands for what is below it. */
export function isPushService(endpoint: string, services: readonly string[]): boolean {
  const { origin, protocol, host, username, password } = new URL(endpoint);
  if (protocol !== 'https:' || username !== '' || password !== '') return false;
  return services.some((each) => (each.includes('*.') ? host.endsWith(each.split('*')[1] ?? '?') : each === origin));
}

/** What a service worker shows. Nobody reads half of an action: where it does not fit, the page behind the notice has it. */
export function pushText({ id, title, text, goal, decision }: NoticeText): object {
  if (goal === null) return { id, title, text: text.slice(0, TEXT_MAX_CHARS), at: 'lab' };
  const at = decision === null ? `goals/${goal.number}` : `decisions/d-${decision.number}`;
  const whole = { id, title, text, at };
  const fits = decision?.isWhole !== false && Buffer.byteLength(JSON.stringify(whole)) <= PAYLOAD_MAX_BYTES;
  return fits ? whole : { ...whole, title: title.slice(0, 200), text: 'Open it to read all of it.' };
}

/** For one browser alone (RFC 8291), with a key pair of its own. */
function encrypted(payload: object, dh: string, authSecret: string): Uint8Array<ArrayBuffer> {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  const text = Buffer.from(JSON.stringify(payload));
  return new Uint8Array(ece.encrypt(text, { version: 'aes128gcm', privateKey, dh, authSecret }));
}

export interface PushSettings {
  readonly key: Uint8Array;
  /** Origins of push services that notices may go through. */
  readonly services: readonly string[];
  /** Whom a push service can turn to: `mailto:` or `https:`. */
  readonly contact: string;
}

/** Browsers of people who are signed in, by their push services, which see who is told and when, and not what. */
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

  async send(notice: NoticeText, signal: AbortSignal): Promise<void> {
    const targets = await listPushTargets(this.db.statements, notice.to);
    const message = pushText(notice);
    const sent = await Promise.allSettled(targets.map((target) => this.tell(target, message, notice.isUrgent, signal)));
    const failed = sent.filter(({ status }) => status === 'rejected');
    // The others see it once: the same notice takes the place of the first one.
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
    if (!response.ok) throw new AishError('notice_refused', `a push service answered with status ${response.status}`);
  }

  /** Who sends it (RFC 8292), for this push service alone and for half a day. */
  private proof(endpoint: string): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(new URL(endpoint).origin)
      .setSubject(this.settings.contact)
      .setExpirationTime('12h')
      .sign(createPrivateKey({ key: { ...this.privateJwk }, format: 'jwk' }));
  }

  close(): void {
    // Nothing is held between two notices.
  }
}
