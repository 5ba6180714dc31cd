import { randomUUID } from 'node:crypto';
import {
  AishError,
  type ActionKind,
  type ActionRequest,
  type EventBody,
  type HaltExpiry,
  type Notice,
  type Turn,
  actionText,
  isTerminal,
} from '@aish/contracts';
import {
  editAction,
  editGoal,
  insertDecision,
  useGrant,
  withdrawDecisions,
  writeGoalRecord,
  type ActionChange,
  type AnsweredStep,
  type GoalChange,
  type Tx,
} from '@aish/database';
import type { RecordEffect } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';

export interface RecordContext {
  readonly goalId: string;
  readonly sessionId: string;
  /** That of the driver who writes; null where the caller holds the goal's row. */
  readonly epoch: number | null;
  /** The machine before the event and after it. */
  readonly previous: GoalMachine;
  readonly machine: GoalMachine;
  /** The model's words of the newest step; their last lines go with a decision. */
  readonly stepText: string;
  /** How long to wait before a goal in state `waiting` is tried again, milliseconds. */
  readonly wakeInMs: number;
  /** What a question of this goal becomes when nobody answers. */
  readonly haltExpiry: HaltExpiry | null;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  /** Null when nothing happened. To be published after the commit. */
  readonly notice: Notice | null;
  readonly turns: readonly Turn[];
}

const CONTEXT_LINES = 12;

/** Written with statements of their own, so that their records need a transaction. */
const OWN_STATEMENT: ReadonlySet<RecordEffect['type']> = new Set([
  'editAction',
  'useGrant',
  'requestDecision',
  'withdrawDecisions',
  'setCheck',
]);

/** Whether `record` writes these with one statement, which needs no transaction around it. */
export function isOneStatement(records: readonly RecordEffect[]): boolean {
  return !records.some(({ type }) => OWN_STATEMENT.has(type));
}

/**
 * Writes the records of one event, rows and events alike, in the caller's transaction.
 * @throws AishError `epoch_superseded` when another driver or a person has the goal now; `grant_revoked` when a grant that it relies on is gone: what it allowed has to be judged anew.
 */
export async function record(tx: Tx, records: readonly RecordEffect[], context: RecordContext): Promise<Recorded> {
  const { goalId, sessionId, machine } = context;
  const places = placesOf(machine, context.previous);
  const actionOf = (actionId: string): ActionPlace => {
    const place = places.get(actionId);
    if (place === undefined) throw new Error(`record: no action ${actionId} in this step or the one before`);
    return place;
  };
  const events: EventBody[] = [...(context.before ?? [])];
  const turns: Omit<Turn, 'seq'>[] = [];
  let goalChange: GoalChange | null = null;
  let answered: AnsweredStep | null = null;
  let started: number | null = null;
  const changes = new Map<string, ActionChange>();
  const change = (id: string, what: Omit<ActionChange, 'id'>): void => {
    changes.set(id, { ...changes.get(id), ...what, id });
  };
  for (const effect of records) {
    switch (effect.type) {
      case 'startStep':
        started = effect.n;
        events.push({ type: 'step.started', goalId, step: effect.n, stepBudget: machine.stepBudget });
        break;
      case 'answerStep': {
        const { n: step, text, model, usage, notes } = effect;
        answered = effect;
        // Of calls that cannot be made the step may be over in this very event.
        addPlaces(places, step, effect.actions);
        events.push({ type: 'step.answered', goalId, step, text, model, usage, notes: [...notes] });
        break;
      }
      case 'appendTurn': {
        const { role, content, meta } = effect;
        turns.push({ role, content, ...(meta === undefined ? {} : { meta }) });
        if (effect.isTold === true) events.push({ type: 'goal.noticed', goalId, text: content });
        break;
      }
      case 'classifyAction': {
        const { actionId, classification } = effect;
        change(actionId, { classification });
        events.push({ type: 'action.classified', goalId, actionId, ...actionOf(actionId), classification });
        break;
      }
      case 'setAction': {
        const { state, outcome, result, digest } = effect;
        change(effect.actionId, {
          state,
          ...(outcome === undefined ? {} : { outcome }),
          ...(result === undefined ? {} : { result }),
          ...(digest === undefined ? {} : { digest }),
        });
        const event = actionEvent(goalId, actionOf(effect.actionId), effect);
        if (event !== null) events.push(event);
        break;
      }
      case 'editAction':
        await editAction(tx, effect.actionId, effect.request);
        break;
      case 'useGrant': {
        const { actionId, grant } = effect;
        if (!(await useGrant(tx, grant.id))) throw new AishError('grant_revoked', `Grant ${grant.id} was revoked`);
        const { step, kind } = actionOf(actionId);
        const { id: grantId, scope, createdBy } = grant;
        events.push({ type: 'grant.used', goalId, actionId, step, kind, grantId, scope, createdBy });
        break;
      }
      case 'recordConnections': {
        const { step } = actionOf(effect.actionId);
        for (const { host, port, allowed, reason, count } of effect.connections) {
          const seen = { host, port, allowed, reason, count };
          events.push({ type: 'network.connection', goalId, actionId: effect.actionId, step, ...seen });
        }
        break;
      }
      case 'requestDecision': {
        const { kind, actionId, action, request, reason, classification } = effect;
        const id = randomUUID();
        const step = machine.step?.n ?? null;
        const { stepBudget } = machine;
        const question = { kind, actionId, reason, action, stepBudget };
        const { number } = await insertDecision(tx, {
          ...question,
          ...(request === undefined ? {} : { request }),
          id,
          sessionId,
          goalId,
          classification,
          stepNumber: step,
          context: contextOf(context.stepText),
          expiry: context.haltExpiry,
        });
        events.push({ type: 'decision.requested', goalId, decisionId: id, number, step, ...question });
        break;
      }
      case 'withdrawDecisions':
        for (const { id, number } of await withdrawDecisions(tx, sessionId)) {
          events.push({ type: 'decision.withdrawn', goalId, decisionId: id, number });
        }
        break;
      case 'setCheck':
        await editGoal(tx, goalId, { verify: effect.verify });
        events.push({ type: 'goal.check', goalId, verify: effect.verify, by: effect.by });
        break;
      case 'setGoal': {
        const { state, reason, waitingFor, summary } = effect;
        const wakeInMs = state === 'waiting' ? context.wakeInMs : null;
        goalChange = { state, reason, waitingFor, summary, ended: isTerminal(state), wakeInMs };
        events.push({ type: 'goal.changed', goalId, state, reason, waitingFor, summary });
        break;
      }
    }
  }
  const isSilent = events.length === 0 && turns.length === 0 && changes.size === 0;
  if (isSilent && goalChange === null && !countsDiffer(context.previous, machine)) return { notice: null, turns: [] };
  const { turns: appended, seq } = await writeGoalRecord(tx, {
    goalId,
    epoch: context.epoch,
    progress: machine,
    change: goalChange,
    isProgress: answered !== null || started !== null,
    answered,
    started,
    actions: [...changes.values()],
    turns,
    events,
  });
  if (events.length === 0) return { notice: null, turns: appended };
  return {
    notice: { type: 'events', sessionId, seq, goalId, types: events.map((event) => event.type) },
    turns: appended,
  };
}

/** The last lines of what the model wrote, for whoever is asked. */
export function contextOf(stepText: string): string {
  return stepText.trimEnd().split('\n').slice(-CONTEXT_LINES).join('\n');
}

function countsDiffer(previous: GoalMachine, machine: GoalMachine): boolean {
  const countsOf = ({ state: _state, step: _step, recent: _recent, ...counts }: GoalMachine): string =>
    JSON.stringify(counts);
  return countsOf(previous) !== countsOf(machine);
}

interface ActionPlace {
  readonly step: number;
  readonly n: number;
  readonly command: string;
  readonly kind: ActionKind;
}

/** An action's step may be over after the event that ended it, and is not there yet before the one that brought it. */
function placesOf(machine: GoalMachine, previous: GoalMachine): Map<string, ActionPlace> {
  const places = new Map<string, ActionPlace>();
  for (const { step } of [previous, machine]) if (step !== null) addPlaces(places, step.n, step.actions);
  return places;
}

function addPlaces(
  places: Map<string, ActionPlace>,
  step: number,
  actions: readonly (ActionRequest & { readonly id: string })[],
): void {
  for (const [index, action] of actions.entries()) {
    places.set(action.id, { step, n: index + 1, command: actionText(action), kind: action.kind });
  }
}

function actionEvent(
  goalId: string,
  { step, command, kind }: ActionPlace,
  effect: Extract<RecordEffect, { type: 'setAction' }>,
): EventBody | null {
  const of = { goalId, actionId: effect.actionId, step, kind };
  switch (effect.state) {
    case 'started':
      return { type: 'action.started', ...of, command };
    case 'finished':
      return { type: 'action.finished', ...of, outcome: effect.outcome ?? null, result: effect.result ?? null };
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
