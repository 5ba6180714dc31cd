import type { Decision, Goal, Verdict } from '@aish/contracts';

/** A word to people, as every channel sends it in its own form. */
export interface NoticeText {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly isUrgent: boolean;
  readonly goal: { readonly number: number; readonly state: string };
  readonly decision: { readonly number: number; readonly action: string; readonly reason: string } | null;
  /** The page of the decision; null without PUBLIC_URL and for what needs no answer. */
  readonly link: string | null;
}

/** What the buttons of a notice are called. */
export const BUTTONS: readonly { readonly verdict: Verdict; readonly label: string }[] = [
  { verdict: 'proceed', label: 'Proceed' },
  { verdict: 'skip', label: 'Skip' },
  { verdict: 'abort', label: 'Abort goal' },
];

const ACTION_MAX_CHARS = 500;
const TEXT_MAX_CHARS = 300;

export function noticeOfHalt(id: string, decision: Decision, goal: Goal, link: string | null): NoticeText {
  const { number, action, reason, stepNumber, stepBudget } = decision;
  return {
    id,
    kind: 'halt',
    title: `HALT: goal ${goal.number} waits for you`,
    text: [
      cut(goal.text, TEXT_MAX_CHARS),
      `Step ${stepNumber ?? '?'} of ${stepBudget ?? '?'}: ${reason}`,
      '',
      cut(action, ACTION_MAX_CHARS),
      '',
      `aish decide d-${number} proceed|skip|abort`,
    ].join('\n'),
    isUrgent: true,
    goal: { number: goal.number, state: goal.state },
    decision: { number, action: cut(action, ACTION_MAX_CHARS), reason },
    link,
  };
}

export function noticeOfEnd(id: string, goal: Goal): NoticeText {
  const said = goal.summary ?? goal.reason;
  return {
    id,
    kind: goal.state,
    title: `Goal ${goal.number}: ${goal.state}`,
    text: [cut(goal.text, TEXT_MAX_CHARS), ...(said === null ? [] : ['', cut(said, ACTION_MAX_CHARS)])].join('\n'),
    isUrgent: goal.state !== 'done',
    goal: { number: goal.number, state: goal.state },
    decision: null,
    link: null,
  };
}

function cut(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
