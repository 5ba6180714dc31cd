import { actionText, type RunOutcome } from '@aish/contracts/actions';
import { LAST_ASKED_ATTEMPT, isLastQuestion } from '@aish/contracts/decision-rules';
import { NOBODY } from '@aish/contracts/decisions';
import type { Held } from '@aish/contracts/effects';
import { heldLine } from '@aish/contracts/held-line';
import { notAskedAgainTurn, rolledBackInsteadTurn, rolledBackTurn } from '@aish/prompt';
import type { Action, ActionEvent, ActionRecord, Ending } from '../action.js';
import { lastQuestionLine, pathsAllowedBy, pathsRefused } from '../refusals.js';
import { connected } from './end-action.js';
import type { Change, LifePolicy } from './policy.js';
import { changeAction, currentAction, type ActionMachine, type Advance } from './step.js';
import { noteRecords, modelNotice } from './model-turns.js';

type HeldOutcome = RunOutcome & { readonly held: Held };
type Ran = Extract<Ending, { kind: 'ran' }>;

/** Whether a command's changes wait for a person's verdict. */
export function isWaiting(outcome: RunOutcome): outcome is HeldOutcome {
  return outcome.held?.verdict === 'waiting';
}

function heldAs(outcome: HeldOutcome, verdict: Held['verdict']): HeldOutcome {
  return { ...outcome, held: { ...outcome.held, verdict } };
}

/**
 * Halts after a command that nobody approved and that has destroyed existing files. A person sees its changes before
 * they take effect.
 */
export function haltAfter<M extends ActionMachine, R>(
  machine: M,
  action: Action,
  { outcome, connections, attempt }: Ran,
  records: readonly ActionRecord[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const { id: actionId } = action;
  if (!isWaiting(outcome)) return { machine, records, effect: null };
  const line = heldLine(outcome.held);
  const reason = attempt !== undefined && isLastQuestion({ attempt }) ? `${line}. ${lastQuestionLine(attempt)}` : line;
  const halted = policy.halt(changeAction(machine, actionId, { state: 'halted', held: outcome }), reason);
  return {
    machine: halted.machine,
    records: [
      ...records,
      ...connected(actionId, connections),
      { type: 'setAction', actionId, state: 'halted', outcome },
      {
        type: 'requestDecision',
        kind: policy.questionOf(action),
        actionId,
        action: actionText(action),
        reason,
        classification: null,
        outcome,
        ...(attempt === undefined ? {} : { attempt }),
      },
      ...halted.records,
    ],
    effect: null,
  };
}

/**
 * Rolls back held changes immediately if a person refused them and does not want to be asked about them again. Null if
 * a person is asked.
 */
export function rollBackWithoutAsking<M extends ActionMachine>(
  machine: M,
  action: Action,
  { outcome, connections, attempt = 0 }: Ran,
): Change<M, ActionRecord> | null {
  if (!isWaiting(outcome) || attempt <= LAST_ASKED_ATTEMPT) return null;
  const dropped = heldAs(outcome, 'dropped');
  return {
    machine: changeAction(machine, action.id, { state: 'approved', held: dropped }),
    records: [
      ...connected(action.id, connections),
      { type: 'setAction', actionId: action.id, state: 'approved', outcome: dropped },
      modelNotice(notAskedAgainTurn(actionText(action))),
    ],
  };
}

/** Handles a person's verdict on held changes; null if the verdict is about something else. */
export function heldDecided<M extends ActionMachine>(
  machine: M,
  action: Action,
  held: HeldOutcome,
  { verdict, message, by }: Extract<ActionEvent, { type: 'decided' }>,
): Change<M, ActionRecord> | null {
  if (verdict === 'abort' || verdict === 'edit') return null;
  const outcome = heldAs(held, verdict === 'proceed' ? 'kept' : 'dropped');
  const what = actionText(action);
  const verdictRecords = {
    proceed: () => [...liftRecords(pathsAllowedBy(outcome)), ...noteRecords(message)],
    skip: () => [...refused(action, message, by, pathsRefused(outcome)), modelNotice(rolledBackTurn(what, message))],
    instead: () => [modelNotice(rolledBackInsteadTurn(what, message))],
  }[verdict]();
  return {
    machine: changeAction(machine, action.id, { state: 'approved', held: outcome }),
    records: [{ type: 'setAction', actionId: action.id, state: 'approved', outcome }, ...verdictRecords],
  };
}

/**
 * Records a refusal. From then on, every change to the same thing is held, for all commands. An expired question
 * refuses nothing.
 */
export function refused(
  action: Action,
  words: string | null,
  by: string,
  paths: readonly string[],
): readonly ActionRecord[] {
  return by === NOBODY ? [] : [{ type: 'refuse', action: actionText(action).trim(), words, paths }];
}

export function liftRecords(paths: readonly string[]): readonly ActionRecord[] {
  return paths.length === 0 ? [] : [{ type: 'liftRefusals', paths }];
}

/** Returns the action whose verdict the sandbox has carried out. */
export function settling(machine: ActionMachine, ending: Ending): Action | null {
  const head = currentAction(machine);
  const isSettled = ending.kind === 'ran' && head?.id === ending.actionId && head.state === 'approved';
  return isSettled && head.held !== undefined ? head : null;
}
