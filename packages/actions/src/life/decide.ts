import { actionText } from '@aish/contracts/actions';
import { isLastQuestion } from '@aish/contracts/decision-rules';
import { openQuestion, shownQuestion, withAnswer, type PendingInput, type ToolResult } from '@aish/contracts/tools';
import { editedTurn, insteadTurn, skippedTurn } from '@aish/prompt';
import type { Action, ActionEvent, ActionRecord } from '../action.js';
import { skip } from './end-action.js';
import { pathsNamedIn } from '../refusals.js';
import { pathsLiftedByCall, pathsRefusedByCall, placesLiftedByCall } from '../refused-calls.js';
import { placesLifted, scriptsLifted } from '../refused-places.js';
import { heldDecided, liftRecords, refused } from './held.js';
import type { Change, LifePolicy } from './policy.js';
import { changeAction, find, noChange, type ActionMachine, type Advance } from './step.js';
import { noteRecords } from './model-turns.js';

/**
 * Records a person's verdict. The api writes it but runs nothing. The next runner of the session continues from it.
 *
 * @param abort ends the work after the verdict `abort`.
 */
export function decided<M extends ActionMachine, R>(
  machine: M,
  event: Extract<ActionEvent, { type: 'decided' }>,
  policy: LifePolicy<M, R>,
  abort: (machine: M) => Advance<M, NoInfer<R> | ActionRecord>,
): Advance<M, R | ActionRecord> {
  const action = find(machine, event.actionId, 'halted');
  if (action === null) return noChange(machine);
  const { id: actionId, pending } = action;
  if (pending !== undefined) {
    const { answer = null } = event;
    if (answer === null) return noChange(machine);
    return askNext(machine, action, withAnswer(pending, answer), noteRecords(event.message), policy);
  }
  if (action.held !== undefined && event.verdict !== 'abort') {
    const judged = heldDecided(machine, action, action.held, event);
    return judged === null ? noChange(machine) : released(judged.machine, judged.records, policy);
  }
  switch (event.verdict) {
    case 'proceed': {
      const { approvedTurn } = policy;
      return released(
        changeAction(machine, actionId, { state: 'approved' }),
        [
          { type: 'setAction', actionId, state: 'approved' },
          ...liftRecords([
            ...named(action, event.folder),
            ...(action.kind === 'command' ? placesLifted(action.command) : placesLiftedByCall(action.arguments)),
            ...(action.kind === 'command' && isLastQuestion(event) ? scriptsLifted(action.command) : []),
          ]),
          ...(approvedTurn === null ? [] : [{ type: 'appendTurn', ...approvedTurn } as const]),
          ...noteRecords(event.message),
        ],
        policy,
      );
    }
    case 'skip': {
      const turn = skippedTurn(actionText(action), event.message);
      const skipped = skip(machine, action, `skipped by ${event.by}`, turn);
      const { message, by, folder } = event;
      const paths = action.kind === 'command' ? named(action, folder) : pathsRefusedByCall(action.arguments);
      const kept = paths === null ? [] : refused(action, message, by, paths);
      return released(skipped.machine, [...kept, ...skipped.records], policy);
    }
    case 'instead': {
      const turn = insteadTurn(actionText(action), event.message);
      const skipped = skip(machine, action, `not this way, says ${event.by}`, turn);
      return released(skipped.machine, skipped.records, policy);
    }
    case 'edit': {
      const { edited } = event;
      if (edited === null || edited.kind !== action.kind) return noChange(machine);
      const turn = editedTurn(actionText(action), actionText(edited), event.message);
      return released(
        changeAction(machine, actionId, { state: 'pending', request: edited }),
        [
          { type: 'editAction', actionId, request: edited },
          { type: 'setAction', actionId, state: 'pending' },
          { type: 'appendTurn', ...turn },
        ],
        policy,
      );
    }
    case 'abort':
      return abort(machine);
  }
}

function named(action: Action, folder: string | undefined): readonly string[] {
  return action.kind === 'command' ? pathsNamedIn(action.command, folder) : pathsLiftedByCall(action.arguments);
}

/**
 * Asks the next question of a call. A call continues once its server has all the answers. Its questions are asked one
 * after another.
 */
export function askNext<M extends ActionMachine, R>(
  machine: M,
  action: Action,
  pending: PendingInput,
  records: readonly ActionRecord[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const open = openQuestion(pending);
  const state = open === null ? 'approved' : 'halted';
  const result: ToolResult = { text: '', isError: false, omittedBytes: 0, pending };
  const changed = changeAction(machine, action.id, { state, pending });
  const set: readonly ActionRecord[] = [...records, { type: 'setAction', actionId: action.id, state, result }];
  if (open === null) return released(changed, set, policy);
  const reason = `${action.kind === 'tool' ? action.label : 'a tool'} asks`;
  const { action: text, request } = shownQuestion(open.question);
  const halted = policy.halt(changed, reason);
  return {
    machine: halted.machine,
    records: [
      ...set,
      {
        type: 'requestDecision',
        kind: 'elicitation',
        actionId: action.id,
        action: text,
        reason,
        classification: null,
        ...(request === null ? {} : { request }),
      },
      ...halted.records,
    ],
    effect: null,
  };
}

function released<M extends ActionMachine, R>(
  machine: M,
  records: readonly ActionRecord[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const after: Change<M, R> = policy.release(machine);
  return { machine: after.machine, records: [...records, ...after.records], effect: null };
}
