import type { Decision, DecisionKind } from './decisions.js';
import type { Classification } from './safety.js';

/** Whether it is answered with values beside a verdict. */
export function takesAnswer(kind: DecisionKind): boolean {
  return kind === 'elicitation' || kind === 'question' || kind === 'need';
}

/** Whether letting it run, or keeping what it did, is what it asks: rules of its space on who may say so count. */
export function runsSomething(kind: DecisionKind): boolean {
  return kind === 'halt' || kind === 'tool' || kind === 'command';
}

/** The attempt at something refused that is the last to be asked about: skipped, all further ones are refused unasked. */
export const LAST_ASKED_ATTEMPT = 3;

export function isLastQuestion({ attempt = 0 }: Pick<Decision, 'attempt'>): boolean {
  return attempt >= LAST_ASKED_ATTEMPT;
}

/**
 * The rule whose grant covers a whole action: the one that all its findings are of. Null where there are several, none, or one
 * that says that it cannot be read; then nothing but a grant of this very action covers it.
 */
export function grantableRule(classification: Classification | null): string | null {
  if (classification?.verdict !== 'destructive') return null;
  const isOnly = classification.others?.every(({ ruleId }) => ruleId === classification.ruleId) ?? true;
  return isOnly ? classification.ruleId : null;
}
