import * as z from 'zod';
import { SpaceName } from './space-name.js';
import { ProjectSlug } from './knowledge.js';

/** What a token may do. `admin` may do everything; `decide` gives verdicts; `app` is for programs and never decides. */
export const Scope = z.enum(['admin', 'operate', 'observe', 'decide', 'app']);
export type Scope = z.infer<typeof Scope>;

const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  admin: ['admin', 'operate', 'observe', 'decide', 'app'],
  operate: ['operate', 'observe'],
  observe: ['observe'],
  decide: ['decide', 'observe'],
  app: ['app'],
};

/** Whether a token with `scopes` may do what needs `wanted`. */
export function allows(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => GRANTS[scope].includes(wanted));
}

export const TOKEN_DAYS_MAX = 3_650;

/** People see the name beside each verdict that the token gave. */
export const TokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,62}$/, 'letters, digits and _ . @ -, 63 at most, a letter or digit first');

export const CreateToken = z
  .strictObject({
    name: TokenName,
    scopes: z.array(Scope).min(1).max(5),
    /** Days until it ends by itself; without, it stays until it is revoked. */
    expiresInDays: z.int().min(1).max(TOKEN_DAYS_MAX).optional(),
    /** Whose knowledge it may see and write, beside what is shared with everyone; without, that of all projects. */
    projects: z.array(ProjectSlug).max(50).optional(),
    /** Whose memory it reaches; without, that of a person of its own name. */
    owner: TokenName.optional(),
    /** Binds it to one app in one space: it reaches that app's memory, and only what an app may of the rest. */
    app: z.strictObject({ space: SpaceName, name: SpaceName }).optional(),
  })
  .meta({ id: 'CreateToken' });
export type CreateToken = z.infer<typeof CreateToken>;

/** A token without its secret, which is not kept. */
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
    /** To the minute. */
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

export const TokenList = z.object({ items: z.array(Token) }).meta({ id: 'TokenList' });
export type TokenList = z.infer<typeof TokenList>;

/** The one answer that carries the secret. */
export const NewToken = Token.extend({ token: z.string() }).meta({ id: 'NewToken' });
export type NewToken = z.infer<typeof NewToken>;
