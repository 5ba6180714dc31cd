import { runsSomething } from '@aish/contracts/decision-rules';
import type { Decision, Verdict } from '@aish/contracts/decisions';
import { differenceLines } from '@aish/contracts/effect-lines';
import { markedParts, otherReasons } from '@aish/contracts/marked-text';
import type { Classification } from '@aish/contracts/safety';
import { approvalLines, canWaitForWindow } from '@aish/contracts/approval-lines';
import { surroundingLines } from '@aish/contracts/surrounding-lines';
import { visibleText } from '@aish/contracts/visible-text';
import { escapeHtml, page } from '../http/page.js';
import { buttonsOf, mayByLink } from './notice.js';

/** What the page of a decision offers. */
export interface PageOffer {
  /** Whether the holder of this link may approve the action. */
  readonly mayProceed: boolean;
  /** The button of the notice that led here: asked about alone, so that it is confirmed. */
  readonly chosen?: Verdict | undefined;
}

/**
 * The page of a decision that waits, as the terminal shows it: all of the action, and what nobody sees as marks. No
 * script: opening it changes nothing, a button posts a form.
 */
export function decisionPage(decision: Decision, offer: PageOffer): string {
  const { number, goalNumber, goalText, stepNumber, stepBudget, reason, action, context } = decision;
  const where = stepNumber === null ? '' : `step ${stepNumber}${stepBudget === null ? '' : ` of ${stepBudget}`}`;
  return page(
    `d-${number}`,
    `<p class="halt">${PAGE_LABELS[decision.kind] ?? 'HALT'} ${escapeHtml([goalNumber === null ? '' : `goal ${goalNumber}`, where].filter(Boolean).join(', '))}</p>
${goalText === null ? '' : `<p>${shown(goalText)}</p>`}
<p><b>${shown(reason)}</b></p>
${otherReasons(decision.classification)
  .map((each) => `<p>and: <b>${shown(each)}</b></p>\n`)
  .join('')}${[
      ...surroundingLines(decision.surroundings),
      ...differenceLines(decision.difference, decision.number),
      ...approvalLines(decision),
    ]
      .map((each) => `<p>${shown(each)}</p>\n`)
      .join('')}<pre>${marked(action, decision.classification)}</pre>
${context.trim() === '' ? '' : `<details><summary>What the model wrote before</summary><pre>${shown(context)}</pre></details>`}
${inAish(decision)}${form(decision, offer)}`,
  );
}

/** What only the page of aish can do, one touch away. It asks who one is, unless the browser is signed in. */
function inAish({ number, kind, difference }: Decision): string {
  if (!runsSomething(kind) || difference !== null) return '';
  return `<p>To see first what it would do, or to change it: <a href="../app/#/decisions/d-${number}">open it in aish</a>.</p>\n`;
}

export function answered(decision: Decision): string {
  const { state, kind, verdict, decidedBy, message, answer } = decision;
  if (state === 'pending') return `Kept: ${approvalLines(decision).join('; ')}.`;
  if (state === 'withdrawn') return 'Withdrawn: what it asked about has ended.';
  const said = answer?.['answer'];
  if (kind === 'question' && typeof said === 'string') return `Answered by ${decidedBy ?? '?'}: “${said}”`;
  return `Answered: ${verdict ?? '?'}, by ${decidedBy ?? '?'}.${message === null ? '' : ` “${message}”`}`;
}

const PAGE_LABELS: Partial<Record<Decision['kind'], string>> = { question: 'QUESTION', need: 'NEED' };

/** Shown on the page, and in the refusal. */
const ADMINS_ALONE = 'It is given in aish itself, with a token of scope admin.';
export const NOT_HERE = 'To let it run, answer in aish itself, or allow this kind of link in NOTIFY_PROCEED.';

/** Nothing runs by an answer in words: it is for everybody who may skip with a message. */
export function needsProceed({ kind }: Pick<Decision, 'kind'>, verdict: Verdict): boolean {
  return verdict === 'proceed' && kind !== 'question';
}

function form(decision: Decision, { mayProceed: isAllowed, chosen }: PageOffer): string {
  const mayProceed = isAllowed && mayByLink(decision);
  const isQuestion = decision.kind === 'question';
  const allowed = buttonsOf(decision).filter(({ verdict }) => !needsProceed(decision, verdict) || mayProceed);
  const carried = (decision.surroundings?.variables.length ?? 0) > 0 && mayProceed ? [CARRIED] : [];
  const later = canWaitForWindow(decision) && mayProceed ? [IN_WINDOW] : [];
  const buttons = allowed
    .toSorted((a, b) => Number(b.verdict === chosen) - Number(a.verdict === chosen))
    .map(({ verdict, label }) => {
      const asked = verdict === chosen ? `Yes: ${label}` : label;
      return button(verdict, asked);
    });
  return `<form method="post"><label>${isQuestion ? 'Your answer' : 'Note to the model (optional)'}<textarea name="message" rows="2" maxlength="2000"></textarea></label>
${[...buttons, ...carried, ...later].join('\n')}</form>
${whyNotHere(decision, mayProceed)}<small>The first answer counts, from wherever it comes.</small>`;
}

function whyNotHere(decision: Decision, mayProceed: boolean): string {
  const { kind } = decision;
  if (kind === 'question' || (mayProceed && kind !== 'need')) return '';
  const why = mayByLink(decision) ? NOT_HERE : WHO;
  return `<p>${escapeHtml(kind === 'need' ? ADMINS_ALONE : why)}</p>\n`;
}

function button(value: string, label: string): string {
  return `<button name="verdict" value="${value}">${escapeHtml(label)}</button>`;
}

const IN_WINDOW = button('window', 'Proceed in the change window');
const WHO = 'Who lets this run has to be known: answer in aish itself.';
const CARRIED = button('carried', 'Proceed with these variables');

function marked(action: string, classification: Classification | null): string {
  return markedParts(action, classification)
    .map(({ text, isGuilty }) => (isGuilty ? `<mark>${shown(text)}</mark>` : shown(text)))
    .join('');
}

function shown(text: string): string {
  return escapeHtml(visibleText(text));
}
