import * as z from 'zod';
import { NewToken } from './tokens.js';

/** A sign-in that has started. The person opens `url` and compares `code`. The terminal polls with `secret`. */
export const SignIn = z
  .object({
    id: z.uuid(),
    url: z.url(),
    code: z.string(),
    secret: z.string(),
    expiresInS: z.int(),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

export const FetchSignIn = z.strictObject({ secret: z.string().min(1).max(128) }).meta({ id: 'FetchSignIn' });
export type FetchSignIn = z.infer<typeof FetchSignIn>;

/** `token` is present once the person has confirmed. It is sent only once. */
export const SignInState = z
  .object({ state: z.enum(['waiting', 'done']), token: NewToken.nullable() })
  .meta({ id: 'SignInState' });
export type SignInState = z.infer<typeof SignInState>;
