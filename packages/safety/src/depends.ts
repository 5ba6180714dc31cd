import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Classification } from '@aish/contracts/safety';
import { RULES } from './rules/catalogue.js';

const DEPENDS: ReadonlySet<string> = new Set(RULES.flatMap(({ id, depends }) => (depends === true ? [id] : [])));

/**
 * Whether all that speaks against a command is that something may be there already, which running it tells.
 * @param rules the user's own: what one of them stops is stopped, whatever its id.
 */
export function onlyDepends(classification: Classification, rules: readonly Pick<UserRule, 'id'>[] = []): boolean {
  const { verdict, by, ruleId, others = [] } = classification;
  if (verdict !== 'destructive' || by !== 'rule') return false;
  const own = new Set(rules.map(({ id }) => id));
  return [ruleId, ...others.map((other) => other.ruleId)].every((id) => id !== null && DEPENDS.has(id) && !own.has(id));
}
