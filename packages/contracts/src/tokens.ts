import * as z from 'zod';
import { SpaceName } from './space-name.js';
import { ProjectSlug } from './knowledge.js';

/**
 * The permissions of a token. `admin` may do everything; `decide` gives verdicts; `app` is for programs and never
 * decides.
 */
export const Scope = z.enum(['admin', 'operate', 'observe', 'decide', 'app']);
export type Scope = z.infer<typeof Scope>;

const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  admin: ['admin', 'operate', 'observe', 'decide', 'app'],
  operate: ['operate', 'observe'],
  observe: ['observe'],
  decide: ['decide', 'observe'],
  app: ['app'],
};

/** Whether a token with `scopes` may do what requires `wanted`. */
export function allows(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => GRANTS[scope].includes(wanted));
}

export const TOKEN_DAYS_MAX = 3_650;

/** The name of a token. People see it beside each verdict that was given with the token. */
export const TokenName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,62}$/,
    'must be at most 63 letters, digits and _ . @ -, beginning with a letter or digit',
  );

export const CreateToken = z
  .strictObject({
    name: TokenName,
    scopes: z.array(Scope).min(1).max(5),
    /** Days until the token expires. If absent, it is valid until it is revoked. */
    expiresInDays: z.int().min(1).max(TOKEN_DAYS_MAX).optional(),
    /**
     * The projects whose knowledge the token may see and write, in addition to shared knowledge. If absent, it may
     * access all projects.
     */
    projects: z.array(ProjectSlug).max(50).optional(),
    /** The owner of the memory that the token can access. Default: a person with the name of the token. */
    owner: TokenName.optional(),
    /**
     * Binds the token to one app in one space. The token can access that app's memory, and of everything else only what
     * an app may access.
     */
    app: z.strictObject({ space: SpaceName, name: SpaceName }).optional(),
  })
  .meta({ id: 'CreateToken' });
export type CreateToken = z.infer<typeof CreateToken>;

/** A token without its secret, because the secret is not stored. */
export const Token = z
  .object({
    id: z.uuid(),
    name: z.string(),
    scopes: z.array(Scope),
    owner: z.string(),
    app: z.object({ space: z.string(), name: z.string() }).nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    revokedAt: z.iso.datetime().nullable(),
    /** When the token was last used, rounded to the minute. */
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

export const TokenList = z.object({ items: z.array(Token) }).meta({ id: 'TokenList' });
export type TokenList = z.infer<typeof TokenList>;

/** The only response that contains the secret. */
export const NewToken = Token.extend({ token: z.string() }).meta({ id: 'NewToken' });
export type NewToken = z.infer<typeof NewToken>;
