import { randomUUID } from 'node:crypto';
import { type EventBody, type Notice, type Turn, isTerminal } from '@aish/contracts';
import {
  answerStep,
  appendEvents,
  appendTurn,
  insertDecision,
  insertStep,
  setActionState,
  setClassification,
  setGoalState,
  setProgress,
  withdrawDecisions,
  type Tx,
} from '@aish/database';
import type { GoalMachine, RecordEffect } from './machine.js';

export interface RecordContext {
  readonly goalId: string;
  readonly sessionId: string;
  /** The machine before the event and after it. */
  readonly previous: GoalMachine;
  readonly machine: GoalMachine;
  /** The model's words of the newest step; their last lines go with a decision. */
  readonly stepText: string;
  /** How long to wait before a goal in state `waiting` is tried again, milliseconds. */
  readonly wakeInMs: number;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  /** Null when nothing happened. To be published after the commit. */
  readonly notice: Notice | null;
  readonly turns: readonly Turn[];
}

const CONTEXT_LINES = 12;

/** Writes the records of one event, rows and events alike, in the caller's transaction. */
export async function record(tx: Tx, records: readonly RecordEffect[], context: RecordContext): Promise<Recorded> {
  const { goalId, sessionId, machine } = context;
  const actionOf = (actionId: string): ActionPlace => findAction(actionId, machine, context.previous);
  const events: EventBody[] = [...(context.before ?? [])];
  const turns: Turn[] = [];
  for (const effect of records) {
    switch (effect.type) {
      case 'startStep':
        await insertStep(tx, goalId, effect.n);
        events.push({ type: 'step.started', goalId, step: effect.n, stepBudget: machine.stepBudget });
        break;
      case 'answerStep':
        await answerStep(tx, goalId, effect);
        events.push({
          type: 'step.answered',
          goalId,
          step: effect.n,
          text: effect.text,
          model: effect.model,
          usage: effect.usage,
        });
        break;
      case 'appendTurn':
        turns.push(await appendTurn(tx, sessionId, effect.role, effect.content));
        break;
      case 'classifyAction':
        await setClassification(tx, effect.actionId, effect.classification);
        events.push({
          type: 'action.classified',
          goalId,
          actionId: effect.actionId,
          ...actionOf(effect.actionId),
          classification: effect.classification,
        });
        break;
      case 'setAction': {
        await setActionState(tx, effect.actionId, effect.state, effect.outcome ?? null);
        const event = actionEvent(goalId, actionOf(effect.actionId), effect);
        if (event !== null) events.push(event);
        break;
      }
      case 'requestDecision': {
        const { command, step } = actionOf(effect.actionId);
        const id = randomUUID();
        const question = {
          actionId: effect.actionId,
          reason: effect.reason,
          action: command,
          stepBudget: machine.stepBudget,
        };
        const { number } = await insertDecision(tx, {
          ...question,
          id,
          sessionId,
          goalId,
          classification: effect.classification,
          stepNumber: step,
          context: context.stepText.trimEnd().split('\n').slice(-CONTEXT_LINES).join('\n'),
        });
        events.push({ type: 'decision.requested', goalId, decisionId: id, number, step, ...question });
        break;
      }
      case 'withdrawDecisions':
        for (const { id, number } of await withdrawDecisions(tx, goalId)) {
          events.push({ type: 'decision.withdrawn', goalId, decisionId: id, number });
        }
        break;
      case 'setGoal': {
        const { state, reason, waitingFor, summary } = effect;
        const wakeInMs = state === 'waiting' ? context.wakeInMs : null;
        await setGoalState(tx, goalId, { state, reason, waitingFor, summary, ended: isTerminal(state), wakeInMs });
        events.push({ type: 'goal.changed', goalId, state, reason, waitingFor, summary });
        break;
      }
    }
  }
  if (records.some((effect) => effect.type === 'answerStep' || effect.type === 'startStep')) {
    await setProgress(tx, goalId, machine.stepsTaken, machine.nudged);
  }
  if (events.length === 0) return { notice: null, turns };
  const seq = await appendEvents(tx, sessionId, events);
  return { notice: { type: 'events', sessionId, seq, goalId, types: events.map((event) => event.type) }, turns };
}

interface ActionPlace {
  readonly step: number;
  readonly n: number;
  readonly command: string;
}

/** An action's step may be over after the event that ended it, and is not there yet before the one that brought it. */
function findAction(actionId: string, ...machines: readonly GoalMachine[]): ActionPlace {
  for (const { step } of machines) {
    const index = step?.actions.findIndex((action) => action.id === actionId) ?? -1;
    const action = step?.actions[index];
    if (step !== null && action !== undefined) return { step: step.n, n: index + 1, command: action.command };
  }
  throw new Error(`record: no action ${actionId} in this step or the one before`);
}

function actionEvent(
  goalId: string,
  { step, command }: ActionPlace,
  effect: Extract<RecordEffect, { type: 'setAction' }>,
): EventBody | null {
  const of = { goalId, actionId: effect.actionId, step };
  switch (effect.state) {
    case 'started':
      return { type: 'action.started', ...of, command };
    case 'finished':
      return effect.outcome === undefined ? null : { type: 'action.finished', ...of, outcome: effect.outcome };
    case 'skipped':
      return { type: 'action.skipped', ...of, command, reason: effect.reason ?? 'skipped' };
    case 'lost':
      return { type: 'action.lost', ...of, command };
    case 'pending':
    case 'halted':
    case 'approved':
      return null;
  }
}
