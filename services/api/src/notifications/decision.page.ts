import type { Decision } from '@aish/contracts';
import { escapeHtml, page } from '../http/page.js';
import { buttonsOf } from './notice.js';

/** The page of a decision, as the terminal shows it. No script: opening it changes nothing, a button posts a form. */
export function decisionPage(decision: Decision): string {
  const { number, goalNumber, goalText, stepNumber, stepBudget, reason, action, context } = decision;
  const where = stepNumber === null ? '' : `step ${stepNumber}${stepBudget === null ? '' : ` of ${stepBudget}`}`;
  return page(
    `d-${number}`,
    `<p class="halt">HALT ${escapeHtml([goalNumber === null ? '' : `goal ${goalNumber}`, where].filter(Boolean).join(', '))}</p>
${goalText === null ? '' : `<p>${escapeHtml(goalText)}</p>`}
<p><b>${escapeHtml(reason)}</b></p>
<pre>${marked(action, decision.classification?.span ?? null)}</pre>
${context.trim() === '' ? '' : `<details><summary>What the model wrote before</summary><pre>${escapeHtml(context)}</pre></details>`}
${decision.state === 'pending' ? form(decision) : `<p>${escapeHtml(answered(decision))}</p>`}`,
  );
}

export function answered({ state, verdict, decidedBy, message }: Decision): string {
  if (state === 'withdrawn') return 'Withdrawn: what it asked about has ended.';
  return `Answered: ${verdict ?? '?'}, by ${decidedBy ?? '?'}.${message === null ? '' : ` “${message}”`}`;
}

function form(decision: Decision): string {
  const buttons = buttonsOf(decision).map(
    ({ verdict, label }) => `<button name="verdict" value="${verdict}">${escapeHtml(label)}</button>`,
  );
  return `<form method="post"><label>To the model, with skip (optional)<textarea name="message" rows="2" maxlength="2000"></textarea></label>
${buttons.join('\n')}</form>
<small>The first answer counts, from wherever it comes.</small>`;
}

function marked(action: string, span: readonly [number, number] | null): string {
  if (span === null) return escapeHtml(action);
  const [start, end] = span;
  const guilty = action.slice(start, end);
  return `${escapeHtml(action.slice(0, start))}<mark>${escapeHtml(guilty)}</mark>${escapeHtml(action.slice(end))}`;
}
