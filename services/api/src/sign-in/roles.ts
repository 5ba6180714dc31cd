import type { Scope } from '@aish/contracts/tokens';

export interface Roles {
  readonly claim: string;
  readonly admins: readonly string[];
  readonly operators: readonly string[];
  readonly observers: readonly string[];
}

/**
 * Returns the identity in the claims of an ID token: the name for verdicts, and the scopes. An identity without scopes
 * has no access.
 */
export function identityOf(
  claims: Readonly<Record<string, unknown>>,
  roles: Roles,
): { readonly name: string; readonly scopes: readonly Scope[] } {
  const words = [claims['preferred_username'], claims['email'], claims['sub']].filter(isText);
  const given = claims[roles.claim];
  const groups = Array.isArray(given) ? given.filter(isText) : isText(given) ? [given] : [];
  // An unverified address is ignored, because anybody can claim one.
  const own = claims['email_verified'] === false ? words.filter((word) => word !== claims['email']) : words;
  const is = (role: readonly string[]): boolean => role.some((word) => groups.includes(word) || own.includes(word));
  return { name: tokenName(own[0] ?? 'person'), scopes: scopesOf(is, roles) };
}

function scopesOf(is: (role: readonly string[]) => boolean, roles: Roles): readonly Scope[] {
  if (is(roles.admins)) return ['admin'];
  if (is(roles.operators)) return ['operate', 'decide'];
  if (is(roles.observers)) return ['observe'];
  return [];
}

/** Returns a valid token name. Verdicts are signed with it. */
function tokenName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_.@-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 48);
  return name === '' ? 'person' : name;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
