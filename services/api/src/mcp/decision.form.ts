import { canWaitForWindow, approvalLines } from '@aish/contracts/approval-lines';
import { takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { differenceLines } from '@aish/contracts/effect-lines';
import { otherReasons } from '@aish/contracts/marked-text';
import { hiddenFields } from '@aish/contracts/needs';
import { AishError } from '@aish/contracts/problems';
import { executionContextLines } from '@aish/contracts/execution-context-lines';
import { visibleText } from '@aish/contracts/visible-text';
import { questionForm, type TaskAnswer } from '@aish/mcp';
import { z } from 'zod';
import { Choice, verdictOf } from '../decisions/choice.js';
import { buttonsOf, howToDecide, titleOf } from '../notifications/notification.js';

const MESSAGE_MAX_CHARS = 2_000;
const NO_VALUES = { type: 'object', properties: {} } as const;
const Chosen = z.object({ verdict: Choice, message: z.string().trim().max(MESSAGE_MAX_CHARS).default('') });

/**
 * Returns a key that identifies a decision together with everything that was shown. If any of it changes, the key
 * changes.
 */
export function keyOf({ number, version = '' }: Decision): string {
  return `d${number}.${version}`;
}

/**
 * Returns everything that a person reads before a verdict: the whole action and every reason. `elsewhere` says whether
 * the decision can be answered only in another place.
 */
export function questionText(decision: Decision, elsewhere: boolean): string {
  const { goalNumber, goalText, stepNumber, stepBudget, reason, classification, action, context } = decision;
  const around = [
    ...executionContextLines(decision.executionContext),
    ...differenceLines(decision.difference, decision.number),
    ...approvalLines(decision),
  ];
  return [
    `${titleOf(decision, goalNumber ?? 0)} (d${decision.number}, step ${stepNumber ?? '?'} of ${stepBudget ?? '?'})`,
    visibleText(goalText ?? ''),
    '',
    visibleText(reason),
    ...otherReasons(classification).map((each) => `and: ${visibleText(each)}`),
    ...around.map(visibleText),
    '',
    visibleText(action),
    ...(context.trim() === '' ? [] : ['', 'What the model wrote before:', visibleText(context)]),
    ...(elsewhere ? ['', `Answer it in aish itself: ${howToDecide(decision)}`] : []),
  ].join('\n');
}

/**
 * Returns the decision as a form for the person at the client. The form never asks for hidden values or for access that
 * only an admin gives.
 */
export function formOf(decision: Decision, mayDecide: boolean) {
  const isHere = mayDecide && (takesValues(decision) || !takesAnswer(decision.kind));
  const message = questionText(decision, !isHere);
  if (takesValues(decision)) {
    return questionForm(message, decision.request ?? NO_VALUES);
  }
  const verdict = {
    type: 'string',
    title: 'Verdict',
    oneOf: choicesOf(decision).map(({ choice, label }) => ({ const: choice, title: label })),
  };
  const note = { type: 'string', title: 'Note to the model', maxLength: MESSAGE_MAX_CHARS };
  return questionForm(message, { type: 'object', properties: { verdict, message: note }, required: ['verdict'] });
}

/**
 * Returns the verdict in the answer to that form. Declining the form runs nothing. Returns null if the person dismissed
 * the form, and the decision stays open. @throws AishError `invalid_body`
 */
export function verdictIn(decision: Decision, { action, content }: TaskAnswer): GiveVerdict | null {
  if (action === 'cancel') return null;
  const of = decision.version === undefined ? {} : { version: decision.version };
  if (action === 'decline') return { verdict: 'skip', ...of };
  if (takesValues(decision)) return { verdict: 'proceed', answer: content ?? {}, ...of };
  const chosen = Chosen.safeParse(content);
  const offered = choicesOf(decision).map(({ choice }) => choice);
  if (!chosen.success || !offered.includes(chosen.data.verdict)) {
    throw new AishError('invalid_body', `Decision d${decision.number}: verdict is one of ${offered.join(', ')}`);
  }
  const { verdict, message } = chosen.data;
  return { ...verdictOf(verdict), ...(message === '' ? {} : { message }), ...of };
}

function takesValues({ kind, request }: Decision): boolean {
  return takesAnswer(kind) && kind !== 'need' && hiddenFields(request).length === 0;
}

function choicesOf(decision: Decision): readonly { readonly choice: Choice; readonly label: string }[] {
  const { kind, executionContext } = decision;
  const buttons = buttonsOf(decision).map(({ verdict, label }) => ({ choice: verdict, label }));
  // A form without fields for the values can only refuse the request.
  if (takesAnswer(kind)) return buttons.filter(({ choice }) => choice !== 'proceed');
  return [
    ...buttons,
    ...((executionContext?.variables.length ?? 0) > 0
      ? [{ choice: 'carried' as const, label: 'Proceed with these variables' }]
      : []),
    ...(canWaitForWindow(decision) ? [{ choice: 'window' as const, label: 'Proceed in the change window' }] : []),
  ];
}
