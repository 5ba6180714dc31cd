import * as z from 'zod';
import { Scope } from './tokens.js';

/** The path of the page of aish, after any prefix that a proxy adds. */
export const WEB_PATH = 'app';
/** Sent with every request of a page that changes something. A page elsewhere cannot send it. */
export const CSRF_HEADER = 'x-aish-csrf';
/** A browser's session ends by itself after so many days. */
export const WEB_SESSION_DAYS = 30;

/** A token, sent once: the browser gets a session of its own for it and keeps nothing of it. */
export const BeginWebSession = z.strictObject({ token: z.string().min(1).max(256) }).meta({ id: 'BeginWebSession' });
export type BeginWebSession = z.infer<typeof BeginWebSession>;

/** Who is signed in here. */
export const WebSession = z
  .object({
    /** The name that verdicts are signed with. */
    name: z.string(),
    owner: z.string(),
    scopes: z.array(Scope),
    /** For {@link CSRF_HEADER}. */
    csrf: z.string(),
    version: z.string(),
  })
  .meta({ id: 'WebSession' });
export type WebSession = z.infer<typeof WebSession>;

/** How a browser may sign in here; needs no token. */
export const WebSignIns = z.object({ oidc: z.boolean(), version: z.string() }).meta({ id: 'WebSignIns' });
export type WebSignIns = z.infer<typeof WebSignIns>;

/** A browser that somebody is signed in with. */
export const WebDevice = z
  .object({
    id: z.uuid(),
    name: z.string(),
    isThis: z.boolean(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebDevice' });
export type WebDevice = z.infer<typeof WebDevice>;

export const WebDeviceList = z.object({ items: z.array(WebDevice) }).meta({ id: 'WebDeviceList' });
export type WebDeviceList = z.infer<typeof WebDeviceList>;

/** How a sign-in that somebody else has to allow goes on. */
export const WebSignInState = z.object({ state: z.enum(['waiting', 'done']) }).meta({ id: 'WebSignInState' });
export type WebSignInState = z.infer<typeof WebSignInState>;

export const AskWebDevice = z.strictObject({ deviceCode: z.string().min(1).max(128) }).meta({ id: 'AskWebDevice' });
export type AskWebDevice = z.infer<typeof AskWebDevice>;

/** Notices that this browser gets although no page is open. */
export const WebPush = z
  .object({
    /** What the browser subscribes with (VAPID, RFC 8292): an uncompressed point on P-256 in base64url. */
    publicKey: z.string(),
    isOn: z.boolean(),
  })
  .meta({ id: 'WebPush' });
export type WebPush = z.infer<typeof WebPush>;

/** What a browser's `PushSubscription.toJSON()` has. */
export const SubscribePush = z
  .strictObject({
    endpoint: z.url({ protocol: /^https$/ }).max(2_000),
    expirationTime: z.number().nullable().optional(),
    keys: z.strictObject({
      p256dh: z.string().regex(/^[\w-]{87}=?$/, '65 bytes in base64url'),
      auth: z.string().regex(/^[\w-]{22}(==)?$/, '16 bytes in base64url'),
    }),
  })
  .meta({ id: 'SubscribePush' });
export type SubscribePush = z.infer<typeof SubscribePush>;
