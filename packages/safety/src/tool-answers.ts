import type { Classification } from '@aish/contracts/safety';

/** An answer of a rule about a tool call. */
export function answer(
  verdict: Classification['verdict'],
  ruleId: string | null,
  reason: string | null,
): Classification {
  return { verdict, reason, ruleId, span: null, by: 'rule' };
}
