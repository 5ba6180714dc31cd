import type { Decision, DecisionKind } from './decisions.js';
import type { Classification } from './safety.js';

/** Whether a verdict on a decision of this kind can include values. */
export function takesAnswer(kind: DecisionKind): boolean {
  return kind === 'elicitation' || kind === 'question' || kind === 'need';
}

/**
 * Whether `proceed` on a decision of this kind runs something or keeps its changes. If so, the approval rules of the
 * space apply.
 */
export function runsSomething(kind: DecisionKind): boolean {
  return kind === 'halt' || kind === 'tool' || kind === 'command';
}

/**
 * The number of the last attempt at a refused action that aish asks about. If a person skips it, aish refuses all later
 * attempts without asking.
 */
export const LAST_ASKED_ATTEMPT = 3;

export function isLastQuestion({ attempt = 0 }: Pick<Decision, 'attempt'>): boolean {
  return attempt >= LAST_ASKED_ATTEMPT;
}

/**
 * Returns the rule whose grant covers the whole action: all findings of the action must belong to it. Returns null if
 * there are several rules or none, or if the rule says that the action cannot be read. Then only a grant of this exact
 * action covers it.
 */
export function grantableRule(classification: Classification | null): string | null {
  if (classification?.verdict !== 'destructive') return null;
  const isOnly = classification.others?.every(({ ruleId }) => ruleId === classification.ruleId) ?? true;
  return isOnly ? classification.ruleId : null;
}
