import * as z from 'zod';
import { Scope } from './tokens.js';

/** The path of aish's page, after any prefix that a proxy adds. */
export const WEB_PATH = 'app';
/** The header that the page sends with every request that changes something. A page on another site cannot send it. */
export const CSRF_HEADER = 'x-aish-csrf';
/** Days until a browser's session expires. */
export const WEB_SESSION_DAYS = 30;

/** Starts a browser's session with a token, which is sent once. The browser does not store the token. */
export const BeginWebSession = z.strictObject({ token: z.string().min(1).max(256) }).meta({ id: 'BeginWebSession' });
export type BeginWebSession = z.infer<typeof BeginWebSession>;

/** The browser's session: the person who is signed in. */
export const WebSession = z
  .object({
    /** The name that appears on the person's verdicts. */
    name: z.string(),
    owner: z.string(),
    scopes: z.array(Scope),
    /** The value for {@link CSRF_HEADER}. */
    csrf: z.string(),
    version: z.string(),
  })
  .meta({ id: 'WebSession' });
export type WebSession = z.infer<typeof WebSession>;

/** The ways in which a browser can sign in. Reading them needs no token. */
export const WebSignIns = z.object({ oidc: z.boolean(), version: z.string() }).meta({ id: 'WebSignIns' });
export type WebSignIns = z.infer<typeof WebSignIns>;

/** A browser that is signed in. */
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

/** The state of a sign-in that somebody else has to approve. */
export const WebSignInState = z.object({ state: z.enum(['waiting', 'done']) }).meta({ id: 'WebSignInState' });
export type WebSignInState = z.infer<typeof WebSignInState>;

export const AskWebDevice = z.strictObject({ deviceCode: z.string().min(1).max(128) }).meta({ id: 'AskWebDevice' });
export type AskWebDevice = z.infer<typeof AskWebDevice>;

/** The setup for notifications that reach this browser even if no page is open. */
export const WebPush = z
  .object({
    /** The server's key for subscriptions (VAPID, RFC 8292): an uncompressed point on P-256 in base64url. */
    publicKey: z.string(),
    isOn: z.boolean(),
  })
  .meta({ id: 'WebPush' });
export type WebPush = z.infer<typeof WebPush>;

/** The content of a browser's `PushSubscription.toJSON()`. */
export const SubscribePush = z
  .strictObject({
    endpoint: z.url({ protocol: /^https$/ }).max(2_000),
    expirationTime: z.number().nullable().optional(),
    keys: z.strictObject({
      p256dh: z.string().regex(/^[\w-]{87}=?$/, 'must be 65 bytes in base64url'),
      auth: z.string().regex(/^[\w-]{22}(==)?$/, 'must be 16 bytes in base64url'),
    }),
  })
  .meta({ id: 'SubscribePush' });
export type SubscribePush = z.infer<typeof SubscribePush>;
