import type { Decision, Verdict } from '@aish/contracts/decisions';
import { differenceLines } from '@aish/contracts/effect-lines';
import type { Goal } from '@aish/contracts/goals';
import { otherReasons } from '@aish/contracts/marked-text';
import { approvalLines } from '@aish/contracts/approval-lines';
import { executionContextLines } from '@aish/contracts/execution-context-lines';
import { visibleText } from '@aish/contracts/visible-text';

/** A notification before a channel gives it its own form. */
export interface NotificationText {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly isUrgent: boolean;
  /** The next person of the escalation, or null for everyone who gets notifications. */
  readonly to: string | null;
  /** The goal that the notification is about; null for a brief. */
  readonly goal: { readonly number: number; readonly state: string } | null;
  readonly decision: {
    readonly number: number;
    /** The complete action, unchanged. */
    readonly action: string;
    /** The action with marks for invisible characters, shortened to fit into a notification. */
    readonly shown: string;
    readonly isWhole: boolean;
    readonly reason: string;
  } | null;
  /** The verdicts that this notification offers. */
  readonly buttons: typeof BUTTONS;
  /** The page of the decision or of the brief. Null without PUBLIC_URL, and for other notifications. */
  readonly link: string | null;
}

/** The labels of the buttons. */
export const BUTTONS: readonly { readonly verdict: Verdict; readonly label: string }[] = [
  { verdict: 'proceed', label: 'Proceed' },
  { verdict: 'skip', label: 'Skip' },
  { verdict: 'abort', label: 'Abort goal' },
];

/** The labels for the changes of a command that has already run. */
const HELD_BUTTONS: typeof BUTTONS = [
  { verdict: 'proceed', label: 'Keep' },
  { verdict: 'skip', label: 'Roll back' },
  { verdict: 'abort', label: 'Roll back and abort' },
];

/**
 * The buttons for a question, which needs an answer in words. A button has none, so `proceed` is only possible on the
 * page.
 */
const QUESTION_BUTTONS: typeof BUTTONS = [
  { verdict: 'proceed', label: 'Answer' },
  { verdict: 'skip', label: 'Continue without it' },
  { verdict: 'abort', label: 'Abort goal' },
];

/** The buttons for a request for access. Only a signed-in admin gives access, and a link is not a sign-in. */
const NEED_BUTTONS: typeof BUTTONS = [
  { verdict: 'skip', label: 'Do not give access' },
  { verdict: 'abort', label: 'Abort goal' },
];

/**
 * Returns the buttons for a decision. A server's question needs values, and a button has none. The question can be
 * declined, or answered if it asks for no values.
 */
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
/** The limit of a brief. ntfy turns messages longer than 4,096 bytes into a file. */
const BRIEF_MAX_CHARS = 3_000;
/** The limit of one line in a message of many lines. */
const LINE_MAX_CHARS = 60;
/** The maximum number of further reasons. A notification with more reasons is incomplete. */
const REASONS_MAX = 5;

/** The fields of a goal that a notification needs. */
export type NotifiedGoal = Pick<Goal, 'number' | 'state' | 'text' | 'summary' | 'reason'>;

export interface AnswerBy {
  /** The page of the decision; null without PUBLIC_URL. */
  readonly link: string | null;
  /** Whether the person allowed readers of this channel to approve actions. */
  readonly mayProceed: boolean;
  /** Set for a notification to the next person, because nobody has answered. */
  readonly escalation?: { readonly to: string | null };
}

/**
 * Returns the notification of a decision. Nobody should approve an action that they have not seen: without the whole
 * action there is no Proceed button, only the link to the page.
 */
export function haltNotification(
  id: string,
  decision: Decision,
  goal: NotifiedGoal,
  { link, mayProceed, escalation }: AnswerBy,
): NotificationText {
  const { number, action, reason, stepNumber, stepBudget } = decision;
  const visible = visibleText(action);
  const shown = cut(visible, ACTION_MAX_CHARS);
  const others = otherReasons(decision.classification);
  const lines = [...executionContextLines(decision.executionContext), ...differenceLines(decision.difference, number)];
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
      ...(isWhole ? [] : ['', 'the action is longer than this: open it before you approve']),
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

/** Returns the title of the notification. */
export function titleOf({ kind }: Decision, goalNumber: number): string {
  if (kind === 'question') return `Goal ${goalNumber} has a question for you`;
  return kind === 'need' ? `Goal ${goalNumber} asks for access` : `HALT: goal ${goalNumber} is waiting for you`;
}

/**
 * Returns whether a link may approve. The holder of a link is anonymous, so no link may approve when it matters who
 * does.
 */
export function mayByLink({ approval }: Pick<Decision, 'approval'>): boolean {
  return approval === undefined || (approval.needed === 1 && approval.author === null);
}

/** Returns the `aish` command that answers the decision. */
export function howToDecide({ kind, number }: Decision): string {
  if (kind === 'need') return `aish decide d${number} give | skip | abort`;
  if (kind === 'question') return `aish decide d${number} answer "…" | skip | abort`;
  return kind === 'elicitation'
    ? `aish decide d${number} accept --answer '{…}' | decline | cancel`
    : `aish decide d${number} proceed|skip|abort`;
}

/** @param checked the results of the check, as Markdown */
export function endNotification(id: string, goal: NotifiedGoal, checked: readonly string[] = []): NotificationText {
  const outcome = goal.summary ?? goal.reason;
  return {
    id,
    kind: goal.state,
    title: `Goal ${goal.number}: ${goal.state}`,
    text: [
      cut(visibleText(goal.text), TEXT_MAX_CHARS),
      ...(outcome === null ? [] : ['', cut(visibleText(outcome), ACTION_MAX_CHARS)]),
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

/** Returns the notification of the daily brief. @param text the lines of the brief; the first one is the title */
export function briefNotification(id: string, text: string, link: string | null): NotificationText {
  const [title = '', ...lines] = visibleText(text).split('\n');
  return {
    id,
    kind: 'brief',
    title: `aish: ${title}`,
    // Text from hosts is escaped, so that it is not read as Markdown.
    text: cut(lines.map((each) => `- ${each.replaceAll(/[\\`*_[\]<>]/g, '\\$&')}`).join('\n'), BRIEF_MAX_CHARS),
    isUrgent: false,
    to: null,
    goal: null,
    decision: null,
    buttons: [],
    link,
  };
}

/** Returns one notification for everything that the quiet hours held back. Its page shows the rest. */
export function nightNotification(held: readonly NotificationText[], link: string | null): NotificationText {
  const lines = held.map(({ title, text }) => `${title}: ${cut(text.split('\n')[0] ?? '', LINE_MAX_CHARS)}`);
  const [first] = held;
  const whole = [`${held.length} notifications from the quiet hours`, ...lines].join('\n');
  const isUrgent = held.some((each) => each.isUrgent);
  return { ...briefNotification(first?.id ?? '', whole, link), isUrgent, to: first?.to ?? null };
}

function cut(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
