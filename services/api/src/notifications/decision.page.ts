import { runsSomething } from '@aish/contracts/decision-rules';
import type { Decision, Verdict } from '@aish/contracts/decisions';
import { differenceLines } from '@aish/contracts/effect-lines';
import { markedParts, otherReasons } from '@aish/contracts/marked-text';
import type { Classification } from '@aish/contracts/safety';
import { approvalLines, canWaitForWindow } from '@aish/contracts/approval-lines';
import { executionContextLines } from '@aish/contracts/execution-context-lines';
import { visibleText } from '@aish/contracts/visible-text';
import { escapeHtml, page } from '../http/page.js';
import { buttonsOf, mayByLink } from './notification.js';

/** The choices on the page of a decision. */
export interface PageOffer {
  /** Whether the holder of this link may approve the action. */
  readonly mayProceed: boolean;
  /** The button of the notification that opened this page. The page asks to confirm it. */
  readonly chosen?: Verdict | undefined;
}

/**
 * Returns the page of an open decision, with the same content as the terminal: the whole action, with marks for hidden
 * characters. The page has no scripts. Opening it changes nothing, and a button posts a form.
 */
export function decisionPage(decision: Decision, offer: PageOffer): string {
  const { number, goalNumber, goalText, stepNumber, stepBudget, reason, action, context } = decision;
  const where = stepNumber === null ? '' : `step ${stepNumber}${stepBudget === null ? '' : ` of ${stepBudget}`}`;
  return page(
    `d${number}`,
    `<p class="halt">${PAGE_LABELS[decision.kind] ?? 'HALT'} ${escapeHtml([goalNumber === null ? '' : `goal ${goalNumber}`, where].filter(Boolean).join(', '))}</p>
${goalText === null ? '' : `<p>${shown(goalText)}</p>`}
<p><b>${shown(reason)}</b></p>
${otherReasons(decision.classification)
  .map((each) => `<p>and: <b>${shown(each)}</b></p>\n`)
  .join('')}${[
      ...executionContextLines(decision.executionContext),
      ...differenceLines(decision.difference, decision.number),
      ...approvalLines(decision),
    ]
      .map((each) => `<p>${shown(each)}</p>\n`)
      .join('')}<pre>${marked(action, decision.classification)}</pre>
${context.trim() === '' ? '' : `<details><summary>What the model wrote before</summary><pre>${shown(context)}</pre></details>`}
${inAish(decision)}${form(decision, offer)}`,
  );
}

/**
 * Returns links to operations that only aish's own page offers. That page asks the person to sign in, unless the
 * browser is signed in.
 */
function inAish({ number, kind, difference }: Decision): string {
  if (!runsSomething(kind) || difference !== null) return '';
  return `<p>To preview or edit the command, <a href="../app/#/decisions/d${number}">open it in aish</a>.</p>\n`;
}

export function answered(decision: Decision): string {
  const { state, kind, verdict, decidedBy, message, answer } = decision;
  if (state === 'pending') return `Recorded: ${approvalLines(decision).join('; ')}.`;
  if (state === 'withdrawn') return 'Withdrawn: it is no longer needed.';
  const answerText = answer?.['answer'];
  if (kind === 'question' && typeof answerText === 'string') return `Answered by ${decidedBy ?? '?'}: “${answerText}”`;
  return `Answered: ${verdict ?? '?'}, by ${decidedBy ?? '?'}.${message === null ? '' : ` “${message}”`}`;
}

const PAGE_LABELS: Partial<Record<Decision['kind'], string>> = { question: 'QUESTION', need: 'NEED' };

/** The page shows this text, and so does the refusal. */
const ADMINS_ALONE = 'Only a token with scope admin can give access, in aish itself.';
export const APPROVE_ELSEWHERE =
  'To approve it, answer in aish itself, or allow links of this channel in NOTIFY_PROCEED.';

/**
 * Returns whether a verdict needs the permission to proceed. An answer in words runs nothing, so everybody who may skip
 * with a message may give one.
 */
export function needsProceed({ kind }: Pick<Decision, 'kind'>, verdict: Verdict): boolean {
  return verdict === 'proceed' && kind !== 'question';
}

function form(decision: Decision, { mayProceed: isAllowed, chosen }: PageOffer): string {
  const mayProceed = isAllowed && mayByLink(decision);
  const isQuestion = decision.kind === 'question';
  const allowed = buttonsOf(decision).filter(({ verdict }) => !needsProceed(decision, verdict) || mayProceed);
  const carried = (decision.executionContext?.variables.length ?? 0) > 0 && mayProceed ? [CARRIED] : [];
  const later = canWaitForWindow(decision) && mayProceed ? [IN_WINDOW] : [];
  const buttons = allowed
    .toSorted((a, b) => Number(b.verdict === chosen) - Number(a.verdict === chosen))
    .map(({ verdict, label }) => {
      const asked = verdict === chosen ? `Yes: ${label}` : label;
      return button(verdict, asked);
    });
  return `<form method="post"><label>${isQuestion ? 'Your answer' : 'Note to the model (optional)'}<textarea name="message" rows="2" maxlength="2000"></textarea></label>
${[...buttons, ...carried, ...later].join('\n')}</form>
${whyNotHere(decision, mayProceed)}<small>The first answer counts, no matter where it comes from.</small>`;
}

function whyNotHere(decision: Decision, mayProceed: boolean): string {
  const { kind } = decision;
  if (kind === 'question' || (mayProceed && kind !== 'need')) return '';
  const why = mayByLink(decision) ? APPROVE_ELSEWHERE : WHO;
  return `<p>${escapeHtml(kind === 'need' ? ADMINS_ALONE : why)}</p>\n`;
}

function button(value: string, label: string): string {
  return `<button name="verdict" value="${value}">${escapeHtml(label)}</button>`;
}

const IN_WINDOW = button('window', 'Proceed in the change window');
const WHO = 'This approval must show who gave it. Answer in aish itself.';
const CARRIED = button('carried', 'Proceed with these variables');

function marked(action: string, classification: Classification | null): string {
  return markedParts(action, classification)
    .map(({ text, isGuilty }) => (isGuilty ? `<mark>${shown(text)}</mark>` : shown(text)))
    .join('');
}

function shown(text: string): string {
  return escapeHtml(visibleText(text));
}
