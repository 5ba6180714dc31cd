import {
  AishError,
  Priority,
  isAishError,
  isTerminal,
  type Elicitation,
  type ElicitationAnswer,
  type EventBody,
  type LiveBody,
  type Notice,
  type Preset,
  type ToolContext,
  type Turn,
} from '@aish/contracts';
import type { Asker } from '@aish/broker';
import {
  appendEvents,
  askMeanwhile,
  findGrant,
  haltExpiryOf,
  inTransaction,
  lockAsDriver,
  setGoalOffered,
  wasApproved,
  type Database,
  type GoalRow,
  type SharedLocks,
  type Tx,
} from '@aish/database';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import { inSpan } from '@aish/telemetry';
import { act } from './acts/act.js';
import { announceAdvance } from './announce.js';
import type { Acted } from './acts/context.js';
import { pauseMs } from './backoff.js';
import type { AtBoundary, Boundary } from './boundaries.js';
import type { SafetyGate } from './gate.js';
import { LiveText } from './live.js';
import { offeredOf } from './load.js';
import { advance } from './machine/advance.js';
import type { ActEffect, GoalEvent } from './machine/events.js';
import type { GoalMachine, MachineAction } from './machine/state.js';
import type { ModelSlots } from './model-slots.js';
import { contextOf, isOneStatement, record, type Recorded } from './record.js';
import { StepClock } from './step-clock.js';
import type { GoalTools, OfferedTool, ToolPolicy } from './tools.port.js';

export interface DriverPorts {
  readonly db: Database;
  /** Those of this process; a lock costs no connection of its own. */
  readonly locks: SharedLocks;
  readonly asker: Asker;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly gate: SafetyGate;
  readonly tools: GoalTools;
  readonly policy: ToolPolicy;
  readonly slots: ModelSlots;
  /** How the model is told to use the memory of the goal's creator, the same for all of the goal; null: there is none. */
  readonly memory: (context: ToolContext) => Promise<string | null>;
  /** Tells the world; best effort, never awaited by the goal. */
  readonly publish: (notice: Notice) => void;
  /** Told of what nobody foresaw; the goal says it too. */
  readonly onError: (error: unknown, goalId: string) => void;
  /** Told at each boundary between two effects; see `announceBoundary`. */
  readonly at?: AtBoundary;
}

export interface DriverSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, where it cannot be taken up again later. */
  readonly elicitationWaitMs: number;
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** How long to wait for a goal whose last driver is about to leave it, milliseconds. */
  readonly lockWaitMs: number;
  /** Whether what a person has granted runs without being asked about again. */
  readonly grants: boolean;
}

/** Where a goal stands when its driver leaves it. `wakeInMs`: when to come back, for a goal that waits. */
export interface DriveResult {
  readonly driven: boolean;
  readonly wakeInMs: number | null;
  readonly priority: Priority;
}

/** The shortest time for a command, however little of a goal's time is left, milliseconds. */
const COMMAND_MIN_MS = 1_000;
/** A Retry-After longer than this is not believed. */
const RETRY_AFTER_MAX_MS = 3_600_000;

/** One driver's time with one goal. What it knows is what it wrote: every write is refused once its epoch is old. */
export class Drive {
  private readonly live: LiveText;
  private readonly clock: StepClock;
  private waits: number;
  private offered: readonly OfferedTool[];
  private wanted: readonly string[] = [];
  /** Actions that this driver saw the gate call safe: no person was asked about them. */
  private readonly cleared = new Set<string>();
  private memory: Promise<string | null> | null = null;

  constructor(
    private readonly ports: DriverPorts,
    private readonly settings: DriverSettings,
    private readonly row: GoalRow,
    private machine: GoalMachine,
    private stepText: string,
    private turns: readonly Turn[],
    /** The number of the schedule's goal that must end first. */
    private readonly before: number | null,
  ) {
    this.waits = row.waits;
    this.clock = new StepClock(row.preset);
    this.offered = offeredOf(row);
    this.live = new LiveText((body: LiveBody) => ports.publish({ type: 'live', sessionId: row.session_id, body }));
  }

  async run(signal: AbortSignal): Promise<DriveResult> {
    if (this.before !== null) {
      await this.take({ type: 'away', what: 'turn', reason: `goal ${this.before} goes first`, began: false });
      return this.leave(this.pause(this.waits));
    }
    let effect = await this.take({ type: 'taken' });
    let wakeInMs = this.pause(this.waits);
    while (effect !== null) {
      if (signal.aborted) throw new AishError('aborted', 'The driver was told to stop');
      const { event, retryAfterMs, offered, found = [] } = await this.timed(effect, signal);
      await this.keepTools(offered, found);
      if (event.type === 'classified') {
        for (const { actionId, classification } of event.judgements) {
          if (classification.verdict === 'safe') this.cleared.add(actionId);
        }
      }
      wakeInMs = retryAfterMs === undefined ? this.pause(this.waits) : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
      effect = await this.takeOrAgain(event, effect, wakeInMs);
    }
    return this.leave(wakeInMs);
  }

  /** After an error that nobody foresaw: tried again later, a bounded number of times. */
  async giveUp(reason: string): Promise<DriveResult> {
    const wakeInMs = this.pause(this.machine.failures);
    await this.take({ type: 'broke', reason }, wakeInMs);
    return this.leave(wakeInMs);
  }

  private async leave(wakeInMs: number): Promise<DriveResult> {
    await this.at('goal.left');
    const priority = Priority.parse(this.row.priority);
    return { driven: true, wakeInMs: this.machine.state === 'waiting' ? wakeInMs : null, priority };
  }

  /** One act, as a span and on the step's clock. */
  private async timed(effect: ActEffect, signal: AbortSignal): Promise<Acted> {
    const from = performance.now();
    const step = this.machine.step?.n ?? 0;
    const acted = await inSpan(`norris ${effect.type}`, { step }, () => this.carryOut(effect, signal));
    const { event } = acted;
    const isModels =
      event.type === 'classified' && event.judgements.some(({ classification: { by } }) => by === 'second-opinion');
    if (effect.type !== 'classify' || isModels) this.clock.away(performance.now() - from);
    return acted;
  }

  private async carryOut(effect: ActEffect, signal: AbortSignal): Promise<Acted> {
    const { row, machine, settings } = this;
    const preset = settings.presets.find((candidate) => candidate.name === row.preset);
    if (preset === undefined) return { event: { type: 'failed', reason: `there is no preset ${row.preset}` } };
    const timeLeftMs = machine.timeBudgetMs === null ? Infinity : machine.timeBudgetMs - machine.activeMs;
    try {
      return await act(
        effect,
        {
          goalId: row.id,
          preset,
          step: machine.step?.n ?? 0,
          workspaceId: row.session_id,
          hostFolders: row.host_folders,
          turns: this.turns,
          commandTimeoutMs: Math.round(Math.min(settings.commandTimeoutMs, Math.max(COMMAND_MIN_MS, timeLeftMs))),
          toolContext: { sessionId: row.session_id, owner: row.created_by, goalId: row.id },
          offered: this.offered,
          wanted: this.wanted,
          memory: (toolContext) => (this.memory ??= this.ports.memory(toolContext)),
          live: (body) => this.live.push(body),
          wasApproved: async (actionId) =>
            !this.cleared.has(actionId) && wasApproved(this.ports.db.statements, actionId),
          note: (body) => this.note(body),
          askMeanwhile: (action, question, gone) => this.askMeanwhile(action, question, gone),
          at: (boundary) => this.at(boundary),
          grantFor: async (action, ruleId) =>
            settings.grants ? findGrant(this.ports.db.statements, row.id, action, ruleId) : null,
        },
        this.ports,
        signal,
      );
    } finally {
      this.live.flush();
    }
  }

  /** Something that happened and decides nothing. */
  private async note(body: EventBody): Promise<void> {
    const { id: goalId, session_id: sessionId } = this.row;
    const seq = await this.write((tx) => appendEvents(tx, sessionId, [body]));
    this.ports.publish({ type: 'events', sessionId, seq, goalId, types: [body.type] });
  }

  /** The question of a server that waits for the answer on its open call. */
  private async askMeanwhile(
    action: MachineAction,
    question: Elicitation,
    gone: AbortSignal,
  ): Promise<ElicitationAnswer> {
    const { id: goalId, session_id: sessionId } = this.row;
    const { step, stepBudget } = this.machine;
    const place = { sessionId, goalId, step: step?.n ?? null, stepBudget, context: contextOf(this.stepText) };
    return askMeanwhile(
      this.ports.db,
      action,
      question,
      { ...place, expiry: haltExpiryOf(this.row) },
      {
        write: async (work) => {
          let types: string[] = [];
          const seq = await this.write(async (tx) => {
            const events = await work(tx);
            types = events.map(({ type }) => type);
            return events.length === 0 ? null : appendEvents(tx, sessionId, events);
          });
          if (seq !== null) this.ports.publish({ type: 'events', sessionId, seq, goalId, types });
        },
        signal: AbortSignal.any([gone, AbortSignal.timeout(this.settings.elicitationWaitMs)]),
      },
    );
  }

  /** A grant that was revoked in the meantime: the same act again, without it. */
  private async takeOrAgain(event: GoalEvent, effect: ActEffect, wakeInMs: number): Promise<ActEffect | null> {
    try {
      return await this.take(event, wakeInMs);
    } catch (error) {
      if (isAishError(error, 'grant_revoked')) return effect;
      throw error;
    }
  }

  /** One event: decided purely, written in one transaction, then told. */
  private async take(event: GoalEvent, wakeInMs = this.pause(this.waits)): Promise<ActEffect | null> {
    const decided = advance(this.machine, event);
    const { machine, records, act: next } = decided;
    if (records.length > 0) {
      const stepText = event.type === 'answered' ? event.text : this.stepText;
      await this.at('record.before');
      const write = (tx: Tx): Promise<Recorded> =>
        record(tx, records, {
          goalId: this.row.id,
          sessionId: this.row.session_id,
          epoch: this.row.epoch,
          previous: this.machine,
          machine,
          stepText,
          wakeInMs: Math.round(wakeInMs),
          haltExpiry: haltExpiryOf(this.row),
        });
      const { db } = this.ports;
      const { notice, turns } = await (isOneStatement(records) ? write(db.statements) : this.write(write));
      await this.at('record.after');
      this.turns = [...this.turns, ...turns];
      this.stepText = stepText;
      if (machine.state === 'waiting') this.waits += 1;
      else if (records.some((effect) => effect.type === 'startStep' || effect.type === 'answerStep')) this.waits = 0;
      if (notice !== null) this.ports.publish(notice);
      await this.at('record.told');
    }
    announceAdvance(this.row.id, this.machine, event, decided);
    if (records.some(({ type }) => type === 'startStep')) this.clock.begin();
    else if (isTerminal(machine.state)) this.clock.end();
    else if (machine.state !== 'running') this.clock.drop();
    this.machine = machine;
    return next;
  }

  /** Requests describe at least the tools that they did before, so that the prompt cache holds. */
  private async keepTools(offered: readonly OfferedTool[] = this.offered, found: readonly string[]): Promise<void> {
    this.wanted = [...new Set([...this.wanted, ...found])];
    if (JSON.stringify(offered) === JSON.stringify(this.offered)) return;
    this.offered = offered;
    await this.write((tx) => setGoalOffered(tx, this.row.id, offered));
  }

  private write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.ports.db, async (tx) => {
      await lockAsDriver(tx, this.row.id, this.row.epoch);
      return fn(tx);
    });
  }

  private async at(boundary: Boundary): Promise<void> {
    await this.ports.at?.(boundary, this.row.id);
  }

  private pause(waits: number): number {
    return pauseMs(Math.max(0, waits), this.settings.waitMinMs, this.settings.waitMaxMs);
  }
}
