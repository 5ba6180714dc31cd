import * as z from 'zod';
import { Scope, TokenName } from './tokens.js';

/**
 * The name that a device gives itself. It is shown to the person who approves the device, and the name of the device's
 * token begins with it.
 */
export const BeginDeviceLogin = z.strictObject({ name: TokenName.default('device') }).meta({ id: 'BeginDeviceLogin' });
export type BeginDeviceLogin = z.infer<typeof BeginDeviceLogin>;

/** RFC 8628, 3.2: the device shows `user_code` and polls with `device_code` every `interval` seconds. */
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

/** The response with the token, as in RFC 6749, 5.1, plus the name of the token in aish. */
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

/** The code as a person types it. Lower case is accepted, and a space or nothing instead of the dash. */
export const UserCode = z
  .string()
  .regex(/^[A-Za-z]{4}[- ]?[A-Za-z]{4}$/, 'must be the eight letters that the device shows')
  .transform((text) => text.toUpperCase().replaceAll(/[^A-Z]/g, ''));

/** A device that waits for approval, as the approving person sees it. */
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
