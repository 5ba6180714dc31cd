import { actionText, type RunOutcome } from '@aish/contracts/actions';
import { NOBODY } from '@aish/contracts/decisions';
import type { Held } from '@aish/contracts/effects';
import { heldLine } from '@aish/contracts/held-line';
import { rolledBackTurn } from '@aish/conversation';
import type { Action, ActionEvent, ActionRecord, Ending } from '../action.js';
import { pathsLetBy, pathsRefused } from '../refusals.js';
import { connected } from './end-action.js';
import type { Change, LifePolicy } from './policy.js';
import { changeAction, headOf, type ActionMachine, type Advance } from './step.js';
import { noted, told } from './told.js';

type HeldOutcome = RunOutcome & { readonly held: Held };
type Ran = Extract<Ending, { kind: 'ran' }>;

/** Whether what a command did waits for a person's verdict. */
export function isWaiting(outcome: RunOutcome): outcome is HeldOutcome {
  return outcome.held?.verdict === 'waiting';
}

function heldAs(outcome: HeldOutcome, verdict: Held['verdict']): HeldOutcome {
  return { ...outcome, held: { ...outcome.held, verdict } };
}

/** A command that nobody approved has destroyed what was there before: a person sees what it did before that counts. */
export function haltAfter<M extends ActionMachine, R>(
  machine: M,
  action: Action,
  { outcome, connections }: Ran,
  records: readonly ActionRecord[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const { id: actionId } = action;
  if (!isWaiting(outcome)) return { machine, records, effect: null };
  const reason = heldLine(outcome.held);
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
      },
      ...halted.records,
    ],
    effect: null,
  };
}

/** A person's verdict about what a command did; null where it says nothing about that. */
export function heldDecided<M extends ActionMachine>(
  machine: M,
  action: Action,
  held: HeldOutcome,
  { verdict, message, by }: Extract<ActionEvent, { type: 'decided' }>,
): Change<M, ActionRecord> | null {
  if (verdict !== 'proceed' && verdict !== 'skip') return null;
  const outcome = heldAs(held, verdict === 'proceed' ? 'kept' : 'dropped');
  const said =
    verdict === 'skip'
      ? [...refused(action, message, by, pathsRefused(outcome)), told(rolledBackTurn(actionText(action), message))]
      : [...lifted(pathsLetBy(outcome)), ...noted(message)];
  return {
    machine: changeAction(machine, action.id, { state: 'approved', held: outcome }),
    records: [{ type: 'setAction', actionId: action.id, state: 'approved', outcome }, ...said],
  };
}

/** What a person refused is held from now on, whoever made it. A question that nobody answered refuses nothing. */
export function refused(
  action: Action,
  words: string | null,
  by: string,
  paths: readonly string[],
): readonly ActionRecord[] {
  return by === NOBODY ? [] : [{ type: 'refuse', action: actionText(action).trim(), words, paths }];
}

export function lifted(paths: readonly string[]): readonly ActionRecord[] {
  return paths.length === 0 ? [] : [{ type: 'liftRefusals', paths }];
}

/** The action whose verdict the sandbox has carried out. */
export function settling(machine: ActionMachine, ending: Ending): Action | null {
  const head = headOf(machine);
  const isSettled = ending.kind === 'ran' && head?.id === ending.actionId && head.state === 'approved';
  return isSettled && head.held !== undefined ? head : null;
}
