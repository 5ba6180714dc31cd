import * as z from 'zod';
import { Scope, TokenName } from './tokens.js';

/**
 * The name that a device gives itself. The person who approves it sees the name, and its token's name begins with it.
 */
export const BeginDeviceLogin = z.strictObject({ name: TokenName.default('device') }).meta({ id: 'BeginDeviceLogin' });
export type BeginDeviceLogin = z.infer<typeof BeginDeviceLogin>;

/** RFC 8628, 3.2: the device shows `user_code` and asks with `device_code`, every `interval` seconds. */
export const DeviceLogin = z
  .object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  })
  .meta({ id: 'DeviceLogin' });
export type DeviceLogin = z.infer<typeof DeviceLogin>;

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export const AskDeviceToken = z
  .strictObject({ grant_type: z.literal(DEVICE_GRANT), device_code: z.string().min(1).max(128) })
  .meta({ id: 'AskDeviceToken' });
export type AskDeviceToken = z.infer<typeof AskDeviceToken>;

/** RFC 6749, 5.1, and what the token is called here. */
export const DeviceToken = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.string(),
    name: z.string(),
  })
  .meta({ id: 'DeviceToken' });
export type DeviceToken = z.infer<typeof DeviceToken>;

/** What is typed: small letters, a space for the dash or none at all are forgiven. */
export const UserCode = z
  .string()
  .regex(/^[A-Za-z]{4}[- ]?[A-Za-z]{4}$/, 'eight letters, as the device shows them')
  .transform((text) => text.toUpperCase().replaceAll(/[^A-Z]/g, ''));

/** A device that waits, as the person who approves it sees it. */
export const WaitingDevice = z
  .object({ name: z.string(), address: z.string(), createdAt: z.iso.datetime(), expiresAt: z.iso.datetime() })
  .meta({ id: 'WaitingDevice' });
export type WaitingDevice = z.infer<typeof WaitingDevice>;

export const DecideDevice = z
  .strictObject({
    approve: z.boolean(),
    scopes: z.array(Scope).min(1).max(5).default(['operate', 'decide']),
  })
  .meta({ id: 'DecideDevice' });
export type DecideDevice = z.infer<typeof DecideDevice>;
