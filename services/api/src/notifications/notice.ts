import type { Decision, Verdict } from '@aish/contracts/decisions';
import { differenceLines } from '@aish/contracts/effect-lines';
import type { Goal } from '@aish/contracts/goals';
import { otherReasons } from '@aish/contracts/marked-text';
import { approvalLines } from '@aish/contracts/approval-lines';
import { surroundingLines } from '@aish/contracts/surrounding-lines';
import { visibleText } from '@aish/contracts/visible-text';

/** A word to people, as every channel sends it in its own form. */
export interface NoticeText {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly isUrgent: boolean;
  /** The next person, as the space says; null: the people who get all notifications. */
  readonly to: string | null;
  /** Null of a brief. */
  readonly goal: { readonly number: number; readonly state: string } | null;
  readonly decision: {
    readonly number: number;
    /** All of it, character for character. */
    readonly action: string;
    /** The same with characters that nobody sees as marks, cut to what fits a notice. */
    readonly shown: string;
    readonly isWhole: boolean;
    readonly reason: string;
  } | null;
  /** What can be answered right here. */
  readonly buttons: typeof BUTTONS;
  /** The page of the decision or of the brief; null without PUBLIC_URL and for other notices. */
  readonly link: string | null;
}

/** What the buttons of a notice are called. */
export const BUTTONS: readonly { readonly verdict: Verdict; readonly label: string }[] = [
  { verdict: 'proceed', label: 'Proceed' },
  { verdict: 'skip', label: 'Skip' },
  { verdict: 'abort', label: 'Abort goal' },
];

/** The same of a command that has run already. */
const HELD_BUTTONS: typeof BUTTONS = [
  { verdict: 'proceed', label: 'Keep' },
  { verdict: 'skip', label: 'Roll back' },
  { verdict: 'abort', label: 'Roll back and abort' },
];

/** A model's question is answered in words, which a button of a notice has not: `proceed` is for its page alone. */
const QUESTION_BUTTONS: typeof BUTTONS = [
  { verdict: 'proceed', label: 'Answer' },
  { verdict: 'skip', label: 'Go on without' },
  { verdict: 'abort', label: 'Abort goal' },
];

/** Only an admin who has signed in gives reach, and a link is nobody's sign-in. */
const NEED_BUTTONS: typeof BUTTONS = [
  { verdict: 'skip', label: 'Do not give it' },
  { verdict: 'abort', label: 'Abort goal' },
];

/** A server's question is answered with values, which a button has not; it can be declined, and answered where it wants none. */
export function buttonsOf({
  kind,
  request,
  difference,
}: Pick<Decision, 'kind' | 'request' | 'difference'>): typeof BUTTONS {
  if (difference !== null) return HELD_BUTTONS;
  if (kind === 'question') return QUESTION_BUTTONS;
  if (kind === 'need') return NEED_BUTTONS;
  if (kind !== 'elicitation') return BUTTONS;
  const needed = request?.['required'];
  const isBare = !Array.isArray(needed) || needed.length === 0;
  return [
    ...(isBare ? [{ verdict: 'proceed', label: 'Accept' } as const] : []),
    { verdict: 'skip', label: 'Decline' },
    { verdict: 'abort', label: 'Cancel the question' },
  ];
}

const ACTION_MAX_CHARS = 500;
const TEXT_MAX_CHARS = 300;
/** ntfy makes a file of what is longer than 4,096 bytes. */
const BRIEF_MAX_CHARS = 3_000;
/** Reasons beside the first; with more of them the notice has not all. */
const REASONS_MAX = 5;

/** Where a HALT can be answered from a notice. */
/** What a notice reads of a goal. */
export type GoalInNotice = Pick<Goal, 'number' | 'state' | 'text' | 'summary' | 'reason'>;

export interface AnswerBy {
  /** Null without PUBLIC_URL. */
  readonly link: string | null;
  /** Whether the person allowed this channel's readers to let an action run. */
  readonly mayProceed: boolean;
  /** Of a notice to the next person, because nobody has answered. */
  readonly escalation?: { readonly to: string | null };
}

/** Nobody lets run what he has not seen: without the whole action there is no Proceed, the page behind the link has it. */
export function noticeOfHalt(
  id: string,
  decision: Decision,
  goal: GoalInNotice,
  { link, mayProceed, escalation }: AnswerBy,
): NoticeText {
  const { number, action, reason, stepNumber, stepBudget } = decision;
  const visible = visibleText(action);
  const shown = cut(visible, ACTION_MAX_CHARS);
  const others = otherReasons(decision.classification);
  const lines = [...surroundingLines(decision.surroundings), ...differenceLines(decision.difference, number)];
  const around = visibleText(lines.join('\n'));
  const shownAround = cut(around, TEXT_MAX_CHARS);
  const isWhole = shown === visible && others.length <= REASONS_MAX && shownAround === around;
  return {
    id,
    kind: escalation === undefined ? 'halt' : 'unanswered',
    title: `${escalation === undefined ? '' : 'Unanswered: '}${titleOf(decision, goal.number)}`,
    text: [
      cut(visibleText(goal.text), TEXT_MAX_CHARS),
      `Step ${stepNumber ?? '?'} of ${stepBudget ?? '?'}: ${visibleText(reason)}`,
      ...others.slice(0, REASONS_MAX).map((each) => `and: ${visibleText(each)}`),
      ...(around === '' ? [] : [shownAround]),
      ...approvalLines(decision).map(visibleText),
      '',
      shown,
      ...(isWhole ? [] : ['', 'not all of it fits here: look at the whole before you let it run']),
      '',
      howToDecide(decision),
    ].join('\n'),
    isUrgent: true,
    to: escalation?.to ?? null,
    goal: { number: goal.number, state: goal.state },
    decision: { number, action, shown, isWhole, reason: visibleText(reason) },
    buttons: buttonsOf(decision).filter(
      ({ verdict }) =>
        verdict !== 'proceed' || (isWhole && mayProceed && mayByLink(decision) && decision.kind !== 'question'),
    ),
    link,
  };
}

/** What a person is told first. */
export function titleOf({ kind }: Decision, goalNumber: number): string {
  if (kind === 'question') return `Goal ${goalNumber} asks you`;
  return kind === 'need' ? `Goal ${goalNumber} needs something` : `HALT: goal ${goalNumber} waits for you`;
}

/** The holder of a link is anonymous. When it matters who approves, no link may approve. */
export function mayByLink({ approval }: Pick<Decision, 'approval'>): boolean {
  return approval === undefined || (approval.needed === 1 && approval.author === null);
}

/** The command of `aish` that answers it. */
export function howToDecide({ kind, number }: Decision): string {
  if (kind === 'need') return `aish decide d-${number} give | skip | abort`;
  if (kind === 'question') return `aish decide d-${number} answer "…" | skip | abort`;
  return kind === 'elicitation'
    ? `aish decide d-${number} accept --answer '{…}' | decline | cancel`
    : `aish decide d-${number} proceed|skip|abort`;
}

/** @param checked what was checked, as Markdown. */
export function noticeOfEnd(id: string, goal: GoalInNotice, checked: readonly string[] = []): NoticeText {
  const said = goal.summary ?? goal.reason;
  return {
    id,
    kind: goal.state,
    title: `Goal ${goal.number}: ${goal.state}`,
    text: [
      cut(visibleText(goal.text), TEXT_MAX_CHARS),
      ...(said === null ? [] : ['', cut(visibleText(said), ACTION_MAX_CHARS)]),
      ...(checked.length === 0 ? [] : ['', ...checked.map(visibleText)]),
    ].join('\n'),
    isUrgent: goal.state !== 'done',
    to: null,
    goal: { number: goal.number, state: goal.state },
    decision: null,
    buttons: [],
    link: null,
  };
}

/** The brief of a morning. @param text its lines, the first one the title */
export function noticeOfBrief(id: string, text: string, link: string | null): NoticeText {
  const [title = '', ...lines] = visibleText(text).split('\n');
  return {
    id,
    kind: 'brief',
    title: `aish: ${title}`,
    // What a host says is no Markdown of ours.
    text: cut(lines.map((each) => `- ${each.replaceAll(/[\\`*_[\]<>]/g, '\\$&')}`).join('\n'), BRIEF_MAX_CHARS),
    isUrgent: false,
    to: null,
    goal: null,
    decision: null,
    buttons: [],
    link,
  };
}

function cut(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
