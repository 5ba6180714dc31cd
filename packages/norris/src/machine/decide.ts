import {
  actionText,
  openQuestion,
  shownQuestion,
  withAnswer,
  type PendingInput,
  type ToolResult,
} from '@aish/contracts';
import { approvedTurn, checkAcceptedTurn, checkRefusedTurn, editedTurn, skippedTurn } from '@aish/conversation';
import type { Advance, GoalEvent, RecordEffect } from './events.js';
import { end, nothing, resultTurn, setGoal, startStep } from './go-on.js';
import { remember } from './repeats.js';
import { changeAction, find, headOf, type GoalMachine, type MachineAction } from './state.js';

/** A verdict is written by the api, which drives nothing: the goal is queued and goes on in a worker. */
export function decided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'decided' }>): Advance {
  const action = find(machine, event.actionId, 'halted');
  if (action === null) return nothing(machine);
  const actionId = action.id;
  const { pending } = action;
  if (pending !== undefined) {
    const { answer = null } = event;
    return answer === null ? nothing(machine) : askNext(machine, action, withAnswer(pending, answer), []);
  }
  switch (event.verdict) {
    case 'proceed':
      return queueAgain(changeAction(machine, actionId, { state: 'approved' }), [
        { type: 'setAction', actionId, state: 'approved' },
        { type: 'appendTurn', role: 'notice', content: approvedTurn },
      ]);
    case 'skip': {
      const skipped = changeAction(machine, actionId, { state: 'skipped' });
      return queueAgain({ ...skipped, recent: remember(machine.recent, action, 'skipped') }, [
        { type: 'setAction', actionId, state: 'skipped', reason: `skipped by ${event.by}` },
        resultTurn(action, skippedTurn(actionText(action), event.message)),
      ]);
    }
    case 'edit': {
      const { edited } = event;
      if (edited === null || edited.kind !== action.kind) return nothing(machine);
      const content = editedTurn(actionText(action), actionText(edited), event.message);
      return queueAgain(changeAction(machine, actionId, { state: 'pending', request: edited }), [
        { type: 'editAction', actionId, request: edited },
        { type: 'setAction', actionId, state: 'pending' },
        { type: 'appendTurn', role: 'notice', content },
      ]);
    }
    case 'abort':
      return end(machine, 'aborted', `aborted by ${event.by}`, null, []);
  }
}

/** A call goes on once its server has all the answers; its questions are asked one after the other. */
export function askNext(
  machine: GoalMachine,
  action: MachineAction,
  pending: PendingInput,
  records: readonly RecordEffect[],
): Advance {
  const open = openQuestion(pending);
  const state = open === null ? 'approved' : 'halted';
  const result: ToolResult = { text: '', isError: false, omittedBytes: 0, pending };
  const changed = changeAction(machine, action.id, { state, pending });
  const set: readonly RecordEffect[] = [...records, { type: 'setAction', actionId: action.id, state, result }];
  if (open === null) return queueAgain(changed, set);
  const reason = `${action.kind === 'tool' ? action.label : 'a tool'} asks`;
  const { action: text, request } = shownQuestion(open.question);
  const question = { actionId: action.id, action: text, reason, classification: null };
  const asks: RecordEffect = {
    type: 'requestDecision',
    kind: 'elicitation',
    ...question,
    ...(request === null ? {} : { request }),
  };
  // A paused goal stays paused, and is asked all the same.
  if (machine.state === 'paused') return { machine: changed, records: [...set, asks], act: null };
  return {
    machine: { ...changed, state: 'halted' },
    records: [...set, asks, setGoal('halted', reason)],
    act: null,
  };
}

/** The proposal took the place of an action: whatever the answer, the model goes on with a step of its own. */
export function checkDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'checkDecided' }>): Advance {
  const isAsked = machine.state === 'halted' || machine.state === 'paused';
  const isProposed = machine.step?.goalLine?.kind === 'verify' && machine.verify === null;
  if (!isAsked || !isProposed || headOf(machine) !== undefined) return nothing(machine);
  if (event.verdict === 'abort') return end(machine, 'aborted', `aborted by ${event.by}`, null, []);
  const isTaken = event.verdict !== 'skip';
  const content = isTaken ? checkAcceptedTurn(event.command) : checkRefusedTurn(event.message);
  const records: RecordEffect[] = [
    ...(isTaken ? [{ type: 'setCheck' as const, verify: event.command, by: event.by }] : []),
    { type: 'appendTurn', role: 'notice', content },
  ];
  const next = startStep({ ...machine, verify: isTaken ? event.command : null }, records);
  return next.act === null ? next : queueAgain(next.machine, next.records);
}

export function queueAgain(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  // A paused goal stays paused; it has its answer when it is resumed.
  if (machine.state === 'paused') return { machine, records, act: null };
  return { machine: { ...machine, state: 'queued' }, records: [...records, setGoal('queued', null)], act: null };
}
