import { randomUUID } from 'node:crypto';
import { actionText, shownQuestion, type EventBody, type SessionEvent, type Turn } from '@aish/contracts';
import {
  answerStep,
  appendTurn,
  insertDecision,
  insertStep,
  recordEvents,
  setActionState,
  setChatProgress,
  setClassification,
  setOffered,
  withdrawDecisions,
  type Tx,
} from '@aish/database';
import { connectionEvents } from '@aish/sandbox-client';
import type { ChatRecord } from './machine/events.js';
import type { Answered, ChatAction, ChatMachine } from './machine/state.js';

export interface RecordContext {
  readonly sessionId: string;
  /** The machine before the event and after it. */
  readonly previous: ChatMachine;
  readonly machine: ChatMachine;
  readonly preset: string;
  /** The driver's, which may be old; null where the chat is locked already. */
  readonly epoch: number | null;
  /** What requests have described of tools, where that has grown. */
  readonly offered?: unknown;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  readonly events: readonly SessionEvent[];
  readonly turns: readonly Turn[];
}

/** Longest text of an answer or a result that an event repeats; the turn holds all of it. */
const EVENT_TEXT_MAX_CHARS = 64 * 1024;

/**
 * Writes the records of one event, rows and events alike, in the caller's transaction.
 * @throws AishError `epoch_superseded` when the chat has another driver.
 */
export async function recordChat(tx: Tx, records: readonly ChatRecord[], context: RecordContext): Promise<Recorded> {
  const { sessionId, machine } = context;
  // What is written in a row without waiting in between; first of all what locks the chat and tells whether it is ours.
  const writes: Promise<void>[] = [];
  const write = (written: Promise<void>): void => {
    written.catch(() => undefined); // it is awaited below, unless something else fails first
    writes.push(written);
  };
  write(setChatProgress(tx, sessionId, context.epoch, machine));
  if (context.offered !== undefined) write(setOffered(tx, sessionId, context.offered));
  const exchange = machine.exchange;
  const events: EventBody[] = [...(context.before ?? [])];
  const turns: Turn[] = [];
  for (const effect of records) {
    switch (effect.type) {
      case 'startStep':
        write(insertStep(tx, sessionId, effect.n));
        events.push({ type: 'answer.started', exchange, step: effect.n, preset: context.preset, fallbackFrom: null });
        break;
      case 'answerStep': {
        const { answer, n } = effect;
        write(answerStep(tx, sessionId, { ...answer, n, goalLine: null }));
        events.push(answerEnded(answer, n, exchange));
        break;
      }
      case 'appendTurn': {
        const turn = await appendTurn(tx, sessionId, effect.role, effect.content, effect.meta);
        turns.push(turn);
        const last = events.at(-1);
        if (turn.role === 'assistant' && last?.type === 'answer.ended')
          events[events.length - 1] = { ...last, turn: turn.seq };
        break;
      }
      case 'classifyAction': {
        write(setClassification(tx, effect.actionId, effect.classification));
        const { action, step, n } = placeOf(effect.actionId, machine, context.previous);
        events.push({
          type: 'action.classified',
          goalId: null,
          actionId: action.id,
          step,
          n,
          kind: action.kind,
          command: actionText(action),
          classification: effect.classification,
        });
        break;
      }
      case 'setAction': {
        const { state, outcome, result } = effect;
        write(
          setActionState(tx, effect.actionId, state, {
            ...(outcome === undefined ? {} : { outcome }),
            ...(result === undefined ? {} : { result }),
          }),
        );
        const event = actionEvent(placeOf(effect.actionId, machine, context.previous), effect);
        if (event !== null) events.push(event);
        break;
      }
      case 'recordConnections': {
        const { actionId, connections } = effect;
        const { step } = placeOf(actionId, machine, context.previous);
        events.push(...connectionEvents({ goalId: null, actionId, step }, connections));
        break;
      }
      case 'requestDecision': {
        const { action, step } = placeOf(effect.actionId, machine, context.previous);
        const id = randomUUID();
        const { reason, kind, classification } = effect;
        const { action: text, request } =
          effect.question === undefined
            ? { action: actionText(action), request: null }
            : shownQuestion(effect.question);
        const question = { kind, actionId: action.id, reason, action: text, stepBudget: null };
        const { number } = await insertDecision(tx, {
          ...question,
          ...(request === null ? {} : { request }),
          id,
          sessionId,
          goalId: null,
          classification,
          stepNumber: step,
          context: effect.context,
        });
        events.push({ type: 'decision.requested', goalId: null, decisionId: id, number, step, ...question });
        break;
      }
      case 'withdrawDecisions':
        for (const { id, number } of await withdrawDecisions(tx, sessionId)) {
          events.push({ type: 'decision.withdrawn', goalId: null, decisionId: id, number });
        }
        break;
      case 'endExchange':
        events.push({ type: 'exchange.ended', exchange, end: effect.end, trouble: effect.trouble });
        break;
    }
  }
  const [recorded] = await Promise.all([recordEvents(tx, sessionId, events), ...writes]);
  return { events: recorded, turns };
}

function answerEnded(answer: Answered, step: number, exchange: number): EventBody & { readonly type: 'answer.ended' } {
  const { text, reasoning, toolCalls, end, preset, fallbackFrom, model, usage, firstWordMs, totalMs, notes } = answer;
  return {
    type: 'answer.ended',
    exchange,
    step,
    turn: null,
    text: text.slice(0, EVENT_TEXT_MAX_CHARS),
    reasoning: reasoning.slice(0, EVENT_TEXT_MAX_CHARS),
    toolCalls: [...toolCalls],
    end,
    preset,
    fallbackFrom,
    model,
    usage,
    firstWordMs,
    totalMs,
    notes: [...notes],
  };
}

interface Place {
  readonly action: ChatAction;
  readonly step: number;
  readonly n: number;
}

function placeOf(actionId: string, ...machines: readonly ChatMachine[]): Place {
  for (const { step } of machines) {
    const index = step?.actions.findIndex((each) => each.id === actionId) ?? -1;
    const action = step?.actions[index];
    if (step !== null && action !== undefined) return { action, step: step.n, n: index + 1 };
  }
  throw new Error(`recordChat: no action ${actionId} in this step or the one before`);
}

function actionEvent({ action, step }: Place, effect: Extract<ChatRecord, { type: 'setAction' }>): EventBody | null {
  const of = { goalId: null, actionId: action.id, step, kind: action.kind };
  switch (effect.state) {
    case 'started':
      return { type: 'action.started', ...of, command: actionText(action) };
    case 'finished':
      return { type: 'action.finished', ...of, outcome: effect.outcome ?? null, result: effect.result ?? null };
    case 'skipped':
      return { type: 'action.skipped', ...of, command: actionText(action), reason: effect.reason ?? 'skipped' };
    case 'lost':
      return { type: 'action.lost', ...of, command: actionText(action) };
    case 'pending':
    case 'halted':
    case 'approved':
      return null;
  }
}
