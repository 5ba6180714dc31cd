import { randomUUID } from 'node:crypto';
import { actionText, type ActionKind, type ActionRequest } from '@aish/contracts/actions';
import type { EventBody } from '@aish/contracts/events';
import type { HaltExpiry } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import { insertDecision, withdrawDecisions } from '@aish/database/decisions.repository';
import { useGrant } from '@aish/database/grants.repository';
import { insertRefusal, liftRefusals, listRefusals } from '@aish/database/refusals.repository';
import type { ActionChange } from '@aish/database/session-record.repository';
import { editAction } from '@aish/database/steps.repository';
import type { Tx } from '@aish/database/tx';
import { connectionEvents } from '@aish/sandbox-client';
import type { ActionRecord } from './action.js';
import { lastLines } from './context.js';
import type { ActionMachine } from './life/step.js';
import { pathsToLift } from './refusals.js';

/** Whether the single statement of a `RecordDraft` writes a record, or a separate statement does. */
const WRITTEN: Readonly<Record<ActionRecord['type'], 'together' | 'apart'>> = {
  appendTurn: 'together',
  classifyAction: 'together',
  setAction: 'together',
  recordConnections: 'together',
  keepTask: 'together',
  editAction: 'apart',
  useGrant: 'apart',
  requestDecision: 'apart',
  refuse: 'apart',
  liftRefusals: 'apart',
  withdrawDecisions: 'apart',
};

export function isActionRecord(record: { readonly type: string }): record is ActionRecord {
  return Object.hasOwn(WRITTEN, record.type);
}

/** Whether one statement without a transaction can write all the action records in this list. */
export function isOneStatement(records: readonly { readonly type: string }[]): boolean {
  return records.every((record) => !isActionRecord(record) || WRITTEN[record.type] === 'together');
}

/** The session of the records. */
export interface RecordPlace {
  readonly sessionId: string;
  /** The goal; null in a chat. */
  readonly goalId: string | null;
  readonly stepBudget: number | null;
  /** The text of the model in the newest step. A decision shows its last lines. */
  readonly words: string;
  /** The verdict on a decision that nobody answers. */
  readonly haltExpiry: HaltExpiry | null;
}

interface ActionPlace {
  readonly step: number;
  readonly n: number;
  readonly command: string;
  readonly kind: ActionKind;
}

/** The rows of one event's records: actions, turns and events, in order. */
export class RecordDraft {
  readonly turns: Omit<Turn, 'seq'>[] = [];
  private readonly changes = new Map<string, ActionChange>();
  private readonly places = new Map<string, ActionPlace>();

  /**
   * @param before the machine before the event, because the event may end the action's step.
   * @param events events that precede those of the records.
   */
  constructor(
    private readonly tx: Tx,
    private readonly place: RecordPlace,
    before: ActionMachine,
    private readonly machine: ActionMachine,
    readonly events: EventBody[],
  ) {
    for (const { step } of [before, machine]) if (step !== null) this.addPlaces(step.n, step.actions);
  }

  get actions(): readonly ActionChange[] {
    return [...this.changes.values()];
  }

  /** Adds actions to their step. If calls cannot run, the step may end with the same event that adds them. */
  addPlaces(step: number, actions: readonly (ActionRequest & { readonly id: string })[]): void {
    for (const [index, action] of actions.entries()) {
      this.places.set(action.id, { step, n: index + 1, command: actionText(action), kind: action.kind });
    }
  }

  /**
   * @throws AishError `grant_revoked` if a grant that the action relies on is gone, so that the action must be judged
   *   again.
   */
  async add(record: ActionRecord): Promise<void> {
    const { goalId, sessionId } = this.place;
    switch (record.type) {
      case 'appendTurn': {
        const { role, provenance, content, parts, meta, isNotice } = record;
        const rest = { ...(parts === undefined ? {} : { parts }), ...(meta === undefined ? {} : { meta }) };
        this.turns.push({ role, provenance, content, ...rest });
        if (isNotice === true && goalId !== null) this.events.push({ type: 'goal.noticed', goalId, text: content });
        return;
      }
      case 'classifyAction': {
        const { actionId, classification } = record;
        this.change(actionId, { classification });
        const of = this.placeOf(actionId);
        this.events.push({ type: 'action.classified', goalId, actionId, ...of, classification });
        return;
      }
      case 'setAction': {
        const { actionId, state, outcome, result, digest, reason } = record;
        this.change(actionId, {
          state,
          ...(outcome === undefined ? {} : { outcome }),
          ...(result === undefined ? {} : { result }),
          ...(digest === undefined ? {} : { digest }),
          ...(state === 'skipped' && reason !== undefined ? { skipReason: reason } : {}),
        });
        const event = this.eventOf(record);
        if (event !== null) this.events.push(event);
        return;
      }
      case 'keepTask': {
        const { actionId, pending } = record;
        this.change(actionId, { result: { text: '', isError: false, omittedBytes: 0, pending } });
        return;
      }
      case 'editAction':
        return editAction(this.tx, record.actionId, record.request);
      case 'useGrant': {
        const { actionId, grant } = record;
        if (!(await useGrant(this.tx, grant.id))) throw new AishError('grant_revoked', `Grant ${grant.id} was revoked`);
        const { step, kind } = this.placeOf(actionId);
        const { id: grantId, scope, createdBy } = grant;
        this.events.push({ type: 'grant.used', goalId, actionId, step, kind, grantId, scope, createdBy });
        return;
      }
      case 'recordConnections': {
        const { actionId, connections } = record;
        const { step } = this.placeOf(actionId);
        this.events.push(...connectionEvents({ goalId, actionId, step }, connections));
        return;
      }
      case 'requestDecision':
        return this.request(record);
      case 'refuse': {
        const { action, words, paths } = record;
        return insertRefusal(this.tx, sessionId, { step: this.machine.step?.n ?? null, action, words, paths });
      }
      case 'liftRefusals':
        return liftRefusals(this.tx, sessionId, pathsToLift(record.paths, await listRefusals(this.tx, sessionId)));
      case 'withdrawDecisions':
        for (const { id, number } of await withdrawDecisions(this.tx, sessionId)) {
          this.events.push({ type: 'decision.withdrawn', goalId, decisionId: id, number });
        }
    }
  }

  private async request(record: Extract<ActionRecord, { type: 'requestDecision' }>): Promise<void> {
    const { goalId, sessionId, stepBudget, words, haltExpiry: expiry } = this.place;
    const { kind, actionId, action, request, reason, classification, binding, context = lastLines(words) } = record;
    const { executionContext = null, outcome = null, attempt } = record;
    const difference = outcome?.held === undefined ? null : { effects: outcome.effects ?? null, held: outcome.held };
    const id = randomUUID();
    const step = this.machine.step?.n ?? null;
    const question = { kind, actionId, reason, action, stepBudget, executionContext, difference };
    const more = { id, sessionId, goalId, classification, binding: binding ?? null, stepNumber: step, context, expiry };
    const asked = { ...question, ...more, ...(request === undefined ? {} : { request }) };
    const counted = attempt === undefined ? {} : { attempt };
    const { number } = await insertDecision(this.tx, { ...asked, ...counted });
    this.events.push({ type: 'decision.requested', goalId, decisionId: id, number, step, ...question });
  }

  private change(id: string, what: Omit<ActionChange, 'id'>): void {
    this.changes.set(id, { ...this.changes.get(id), ...what, id });
  }

  private placeOf(actionId: string): ActionPlace {
    const place = this.places.get(actionId);
    invariant(place !== undefined, `action ${actionId} is of this step or the one before`);
    return place;
  }

  private eventOf(record: Extract<ActionRecord, { type: 'setAction' }>): EventBody | null {
    const { step, command, kind } = this.placeOf(record.actionId);
    const of = { goalId: this.place.goalId, actionId: record.actionId, step, kind };
    switch (record.state) {
      case 'started':
        return { type: 'action.started', ...of, command };
      case 'finished':
        return { type: 'action.finished', ...of, outcome: record.outcome ?? null, result: record.result ?? null };
      case 'skipped':
        return { type: 'action.skipped', ...of, command, reason: record.reason ?? 'skipped' };
      case 'lost':
        return { type: 'action.lost', ...of, command };
      case 'pending':
      case 'halted':
      case 'approved':
        return null;
    }
  }
}
