import * as z from 'zod';

const names = z
  .string()
  .optional()
  .transform((text) =>
    (text ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

export const SignIns = z.object({
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Your OpenID Connect provider; unset: people sign in only with tokens. Needs PUBLIC_URL'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('The client ID of aish at the provider'),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe('The client secret from the provider; a public client has none'),
  OIDC_CLAIM: z.string().default('groups').describe('Claim of the ID token that determines roles'),
  OIDC_ADMINS: names.describe('Values of that claim, or user names, of admins; separated by commas'),
  OIDC_OPERATORS: names.describe('The same for people who give goals and answer HALTs'),
  OIDC_OBSERVERS: names.describe('The same for people who may only read'),
});
