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
    .describe('OpenID Connect provider of the household; unset leaves tokens as the only way in. Needs PUBLIC_URL'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Under which the provider knows aish'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Given by the provider with it; a public client has none'),
  OIDC_CLAIM: z.string().default('groups').describe('Claim of the ID token that says who may do what'),
  OIDC_ADMINS: names.describe('Values of that claim, or user names, that may do everything; with commas between'),
  OIDC_OPERATORS: names.describe('The same for who gives goals and answers HALTs'),
  OIDC_OBSERVERS: names.describe('The same for who only looks'),
});
