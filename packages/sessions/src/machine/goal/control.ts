import { killed, modelNotice, noteRecords, noChange } from '@aish/actions';
import { continuedTurn, goalEditedTurn, stoppedAnswerTurn } from '@aish/prompt';
import { isTerminal } from '@aish/contracts/goals';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { end, setGoal, startStep } from './policy.js';
import type { GoalMachine } from './state.js';

export function cancel(machine: GoalMachine, event: Extract<GoalEvent, { type: 'cancelled' }>): Advance {
  const after = killed(machine, event);
  return end(after.machine, 'aborted', `cancelled by ${event.by}`, null, after.records);
}

/** Pauses the goal. Work in progress continues: a running command runs to its end, and its result is used later. */
export function pause(machine: GoalMachine, by: string): Advance {
  if (machine.state === 'paused') return noChange(machine);
  return { machine: { ...machine, state: 'paused' }, records: [setGoal('paused', `paused by ${by}`)], effect: null };
}

export function resume(machine: GoalMachine, isAsked: boolean): Advance {
  if (machine.state !== 'paused') return noChange(machine);
  const state = isAsked ? 'halted' : 'queued';
  return {
    machine: { ...machine, state },
    records: [setGoal(state, isAsked ? 'a question waits for an answer' : null)],
    effect: null,
  };
}

/**
 * Continues an ended goal with more steps, new budgets and the same conversation. A done goal also needs a new message.
 */
export function continueGoal(machine: GoalMachine, event: Extract<GoalEvent, { type: 'continued' }>): Advance {
  if (!isTerminal(machine.state) || (machine.state === 'done' && event.message === null)) return noChange(machine);
  const renewed: GoalMachine = {
    ...machine,
    state: 'queued',
    stepBudget: machine.stepsTaken + event.steps,
    tokensUsed: 0,
    activeMs: 0,
    nudged: false,
    verified: false,
    checksFailed: 0,
    malformed: 0,
    toolDepth: 0,
    failures: 0,
  };
  const turn: GoalRecord = { type: 'appendTurn', ...continuedTurn(event.steps, event.message) };
  // The line that ended the last answer has already taken effect.
  const next = machine.step?.answered === false ? { machine: renewed, records: [turn] } : startStep(renewed, [turn]);
  return { machine: next.machine, records: [...next.records, setGoal('queued', null)], effect: null };
}

/** Adds messages of people, which the model reads with its next request. They answer no decision. */
export function addMessages(machine: GoalMachine, { messages, upTo }: Extract<GoalEvent, { type: 'said' }>): Advance {
  if (machine.state !== 'running' || machine.step?.answered !== false) return noChange(machine);
  return {
    // An answer in words to the person does not count as a useless answer.
    machine: { ...machine, malformed: 0, nudged: false },
    records: [...messages.flatMap((message) => noteRecords(message)), { type: 'hear', upTo }],
    effect: { type: 'ask' },
  };
}

/**
 * Changes the text of the goal. The record is never rewritten, so the model gets a notice. A working runner restarts
 * its effect.
 */
export function edit(machine: GoalMachine, text: string | null): Advance {
  // The runner does not know about the change, so the goal is queued again.
  const again: readonly GoalRecord[] = machine.state === 'running' ? [setGoal('queued', null)] : [];
  const state = machine.state === 'running' ? 'queued' : machine.state;
  if (text === null) return { machine: { ...machine, state }, records: again, effect: null };
  const turn: GoalRecord = { type: 'appendTurn', ...goalEditedTurn(text) };
  return { machine: { ...machine, state }, records: [turn, ...again], effect: null };
}

/**
 * Saves the text of a stopped answer as a step that costs no budget. A goal that can continue gets its next step ready.
 */
export function interrupted(machine: GoalMachine, event: Extract<GoalEvent, { type: 'interrupted' }>): Advance {
  const { state, step } = machine;
  const isEnded = isTerminal(state);
  if ((state !== 'paused' && !isEnded) || step?.n !== event.step || step.answered) return noChange(machine);
  const answered: GoalMachine = {
    ...machine,
    stepsTaken: machine.stepsTaken + 1,
    stepBudget: machine.stepBudget + 1,
    step: { ...step, answered: true },
  };
  const { step: n, text } = event;
  const kept: readonly GoalRecord[] = [
    {
      type: 'answerStep',
      n,
      text,
      model: null,
      usage: null,
      notes: ['stopped by a person before its end'],
      goalLine: null,
      actions: [],
    },
    { type: 'appendTurn', role: 'assistant', provenance: 'model', content: text },
    modelNotice(stoppedAnswerTurn),
  ];
  if (isEnded) return { machine: answered, records: kept, effect: null };
  const next = { n: n + 1, answered: false, goalLine: null, actions: [] };
  return {
    machine: { ...answered, step: next },
    records: [...kept, { type: 'startStep', n: next.n }],
    effect: null,
  };
}
