import { continuedTurn, goalEditedTurn, outputTurn } from '@aish/conversation';
import { isTerminal } from '@aish/contracts';
import type { Advance, GoalEvent, RecordEffect } from './events.js';
import { digestOf } from './actions.js';
import { end, nothing, setGoal, startStep } from './go-on.js';
import { remember } from './repeats.js';
import { changeAction, type GoalMachine } from './state.js';

export function cancel(machine: GoalMachine, event: Extract<GoalEvent, { type: 'cancelled' }>): Advance {
  const records: RecordEffect[] = [];
  let current = machine;
  for (const action of machine.step?.actions ?? []) {
    const outcome = event.outcomes[action.id];
    if (action.state !== 'started' || action.kind !== 'command' || outcome === undefined) continue;
    const digest = digestOf({ kind: 'ran', actionId: action.id, outcome });
    const recent = remember(current.recent, action, digest);
    current = { ...changeAction(current, action.id, { state: 'finished' }), recent };
    records.push(
      { type: 'setAction', actionId: action.id, state: 'finished', outcome, digest },
      { type: 'appendTurn', role: 'output', content: outputTurn(action.command, outcome) },
    );
  }
  return end(current, 'aborted', `cancelled by ${event.by}`, null, records);
}

/** Whatever is under way stays as it is: a running command runs to its end, and its result is taken up later. */
export function pause(machine: GoalMachine, by: string): Advance {
  if (machine.state === 'paused') return nothing(machine);
  return { machine: { ...machine, state: 'paused' }, records: [setGoal('paused', `paused by ${by}`)], act: null };
}

export function resume(machine: GoalMachine, isAsked: boolean): Advance {
  if (machine.state !== 'paused') return nothing(machine);
  const state = isAsked ? 'halted' : 'queued';
  return {
    machine: { ...machine, state },
    records: [setGoal(state, isAsked ? 'a question waits for an answer' : null)],
    act: null,
  };
}

/** An end that is not "done" can be taken back: more steps, budgets that count anew, the same conversation. */
export function continueGoal(machine: GoalMachine, event: Extract<GoalEvent, { type: 'continued' }>): Advance {
  if (!isTerminal(machine.state) || machine.state === 'done') return nothing(machine);
  const renewed: GoalMachine = {
    ...machine,
    state: 'queued',
    stepBudget: machine.stepsTaken + event.steps,
    tokensUsed: 0,
    activeMs: 0,
    nudged: false,
    checksFailed: 0,
    malformed: 0,
    toolDepth: 0,
    failures: 0,
  };
  const turn: RecordEffect = {
    type: 'appendTurn',
    role: 'notice',
    content: continuedTurn(event.steps, event.message),
  };
  // The line that ended the last answer has had its effect.
  const next = machine.step?.answered === false ? { machine: renewed, records: [turn] } : startStep(renewed, [turn]);
  return { machine: next.machine, records: [...next.records, setGoal('queued', null)], act: null };
}

/** The record is never rewritten: the model is told. A driver that is at work begins its act anew. */
export function edit(machine: GoalMachine, text: string | null): Advance {
  // Whoever drives it does not know of the change: the goal is taken anew.
  const again: readonly RecordEffect[] = machine.state === 'running' ? [setGoal('queued', null)] : [];
  const state = machine.state === 'running' ? 'queued' : machine.state;
  if (text === null) return { machine: { ...machine, state }, records: again, act: null };
  const turn: RecordEffect = {
    type: 'appendTurn',
    role: 'notice',
    content: goalEditedTurn(text),
    meta: { isPinned: true },
  };
  return { machine: { ...machine, state }, records: [turn, ...again], act: null };
}
