import {
  ActionEngine,
  needsSeveral,
  pauseMs,
  type ActionContext,
  type Boundary,
  type Permissions,
} from '@aish/actions';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import { Priority, isTerminal } from '@aish/contracts/goals';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import { Trust, trustUpTo } from '@aish/contracts/trust';
import { recordEvents } from '@aish/database/events.repository';
import { haltExpiryOf, lockAsDriver, setGoalOffered, type GoalRow } from '@aish/database/goals.repository';
import { findGrant, findGrantOfVariables } from '@aish/database/grants.repository';
import { toolsOfRunbooks } from '@aish/database/runbooks.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { inSpan } from '@aish/telemetry';
import type { Definition } from '@aish/tools';
import { announceAdvance } from './announce.js';
import { askModel } from './ask-model.js';
import { LiveText } from './live.js';
import { offeredOf, type LoadedGoal } from './load.js';
import { advance } from './machine/advance.js';
import type { Advance, GoalEvent } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';
import type { DriveResult, DriverPorts, DriverSettings } from './ports.js';
import { isOneStatement, noticeOf, record, type Recorded } from './record.js';
import { StepClock } from './step-clock.js';
import { keepStopped } from './with-machine.js';

/** The shortest time for a command, however little of a goal's time is left, milliseconds. */
const COMMAND_MIN_MS = 1_000;
/** A Retry-After longer than this is not believed. */
const RETRY_AFTER_MAX_MS = 3_600_000;

type Effect = NonNullable<Advance['effect']>;

/** A goal as its driver finds it when it takes it. */
export interface TakenGoal extends LoadedGoal {
  /** What the model is shown, in order. */
  readonly turns: readonly Turn[];
  /** The number of the schedule's goal that must end first. */
  readonly before: number | null;
}

/** What came of an effect, and what the driver keeps in mind for the next request. */
interface Performed {
  readonly event: GoalEvent;
  /** How long the one who refused wants to be left alone. */
  readonly retryAfterMs?: number;
  readonly offered?: readonly Definition[];
  readonly found?: readonly string[];
}

/** One driver's time with one goal. What it knows is what it wrote: every write is refused once its epoch is old. */
export class Drive {
  private readonly row: GoalRow;
  private machine: GoalMachine;
  private stepText: string;
  private turns: readonly Turn[];
  private readonly before: number | null;
  private readonly engine: ActionEngine;
  private readonly live: LiveText;
  private readonly clock: StepClock;
  private waits: number;
  private offered: readonly Definition[];
  private wanted: readonly string[] = [];
  private memory: Promise<string | null> | null = null;

  constructor(
    private readonly ports: DriverPorts,
    private readonly settings: DriverSettings,
    goal: TakenGoal,
  ) {
    const { row } = goal;
    this.row = row;
    this.machine = goal.machine;
    this.stepText = goal.stepText;
    this.turns = goal.turns;
    this.before = goal.before;
    this.engine = new ActionEngine(ports);
    this.waits = row.waits;
    this.clock = new StepClock(row.preset);
    this.offered = offeredOf(row);
    this.live = new LiveText((body: LiveBody) => ports.publish({ type: 'live', sessionId: row.session_id, body }));
  }

  async run(signal: AbortSignal): Promise<DriveResult> {
    if (this.before !== null) {
      await this.apply({ type: 'away', what: 'turn', reason: `goal ${this.before} goes first`, began: false });
      return this.leave(this.pause(this.waits));
    }
    let effect = await this.apply({ type: 'taken' });
    let wakeInMs = this.pause(this.waits);
    while (effect !== null) {
      if (signal.aborted) throw new AishError('aborted', 'The driver was told to stop');
      const { event, retryAfterMs, offered, found = [] } = await this.timed(effect, signal);
      await this.keepTools(offered, found);
      wakeInMs = retryAfterMs === undefined ? this.pause(this.waits) : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
      effect = await this.applyOrAgain(event, effect, wakeInMs);
    }
    return this.leave(wakeInMs);
  }

  /** After an error that nobody foresaw: tried again later, a bounded number of times. */
  async giveUp(reason: string): Promise<DriveResult> {
    const wakeInMs = this.pause(this.machine.failures);
    await this.apply({ type: 'broke', reason }, wakeInMs);
    return this.leave(wakeInMs);
  }

  private async leave(wakeInMs: number): Promise<DriveResult> {
    await this.at('drive.left');
    const priority = Priority.parse(this.row.priority);
    return { driven: true, wakeInMs: this.machine.state === 'waiting' ? wakeInMs : null, priority };
  }

  /** One effect, as a span and on the step's clock. */
  private async timed(effect: Effect, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const step = this.machine.step?.n ?? 0;
    const performed = await inSpan(`norris ${effect.type}`, { step }, () => this.perform(effect, signal));
    const { event } = performed;
    const isModels =
      event.type === 'classified' && event.judgements.some(({ classification: { by } }) => by === 'second-opinion');
    if (effect.type !== 'classify' || isModels) this.clock.away(performance.now() - from);
    return performed;
  }

  private async perform(effect: Effect, signal: AbortSignal): Promise<Performed> {
    try {
      return await (effect.type === 'ask' ? this.ask(signal) : this.engine.perform(effect, this.context(), signal));
    } finally {
      this.live.flush();
    }
  }

  private async ask(signal: AbortSignal): Promise<Performed> {
    const { row, settings, ports } = this;
    const preset = settings.presets.find((candidate) => candidate.name === row.preset);
    if (preset === undefined) return { event: { type: 'failed', reason: `there is no preset ${row.preset}` } };
    const session = this.session();
    await this.at('ask.before');
    // While the model thinks. What it may have against it is heard when a command asks for one.
    const next = {
      workspaceId: row.session_id,
      hostFolders: row.host_folders,
      hosts: this.hasHosts(),
      background: true,
    };
    ports.sandbox.prepare(next, signal).catch(() => false);
    const step = this.machine.step?.n ?? 0;
    const question = {
      session,
      preset,
      seed: row.seed,
      step,
      toolShare: settings.toolShare,
      autoApproves: ports.autoApproves,
      turns: this.turns,
      offered: this.offered,
      wanted: this.wanted,
      memory: () => (this.memory ??= ports.memory(session)),
      live: (body: LiveBody) => this.live.push(body),
      stopped: (text: string) => this.keepStopped(step, text),
    };
    const reply = await askModel(question, ports, signal);
    await this.at('ask.after');
    return reply;
  }

  private async keepStopped(step: number, text: string): Promise<void> {
    const event = { type: 'interrupted', step, text } as const;
    const notice = await inTransaction(this.ports.db, (tx) => keepStopped(tx, this.row.id, event));
    if (notice !== null) this.ports.publish(notice);
  }

  private hasHosts(): boolean {
    return this.ports.hosts !== undefined && this.row.hosts.length > 0;
  }

  private session() {
    return { sessionId: this.row.session_id, owner: this.row.created_by, goalId: this.row.id };
  }

  private context(): ActionContext {
    const { row, machine, settings } = this;
    const timeLeftMs = machine.timeBudgetMs === null ? Infinity : machine.timeBudgetMs - machine.activeMs;
    return {
      session: this.session(),
      step: machine.step?.n ?? 0,
      stepBudget: machine.stepBudget,
      words: this.stepText,
      hostFolders: row.host_folders,
      hosts: row.hosts,
      commandTimeoutMs: Math.round(Math.min(settings.commandTimeoutMs, Math.max(COMMAND_MIN_MS, timeLeftMs))),
      elicitationWaitMs: settings.elicitationWaitMs,
      haltExpiry: haltExpiryOf(row),
      permissions: this.permissions(),
      live: (body) => this.live.push(body),
      write: (work) => this.note(work),
      at: (boundary) => this.at(boundary),
    };
  }

  /** What is safe runs; what else a person has granted. */
  private permissions(): Permissions {
    const { ports, settings, row } = this;
    return {
      confirmCommands: false,
      trust: trustUpTo(settings.trustMax, Trust.parse(row.trust)),
      autoApproves: ports.autoApproves,
      toolGrants: async () => {
        const tools = settings.grants ? await toolsOfRunbooks(ports.db.statements, row.id) : [];
        return tools.map((tool) => ({ tool, fingerprints: {} }));
      },
      grantFor: async (what) => (settings.grants ? findGrant(ports.db.statements, row.id, what) : null),
      needsSeveral: (classification) => needsSeveral(ports.db.statements, row.session_id, classification),
      grantForVariables: async (digest) =>
        settings.grants ? findGrantOfVariables(ports.db.statements, row.id, digest) : null,
    };
  }

  /** Something that happened and decides nothing. */
  private async note(work: (tx: Tx) => Promise<readonly EventBody[]>): Promise<void> {
    const { id: goalId, session_id: sessionId } = this.row;
    const events = await this.write(async (tx) => recordEvents(tx, sessionId, await work(tx)));
    const notice = noticeOf(goalId, sessionId, events);
    if (notice !== null) this.ports.publish(notice);
  }

  /** A grant that was revoked in the meantime: the same effect again, without it. */
  private async applyOrAgain(event: GoalEvent, effect: Effect, wakeInMs: number): Promise<Effect | null> {
    try {
      return await this.apply(event, wakeInMs);
    } catch (error) {
      if (isAishError(error, 'grant_revoked')) return effect;
      throw error;
    }
  }

  /** One event: decided purely, written in one transaction, then told. */
  private async apply(event: GoalEvent, wakeInMs = this.pause(this.waits)): Promise<Effect | null> {
    const decided = advance(this.machine, event);
    const { machine, records, effect } = decided;
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
      else if (records.some(({ type }) => type === 'startStep' || type === 'answerStep')) this.waits = 0;
      if (notice !== null) this.ports.publish(notice);
      await this.at('record.told');
    }
    announceAdvance(this.row.id, this.machine, event, decided);
    if (records.some(({ type }) => type === 'startStep')) this.clock.begin();
    else if (isTerminal(machine.state)) this.clock.end();
    else if (machine.state !== 'running') this.clock.drop();
    this.machine = machine;
    return effect;
  }

  /** Requests describe at least the tools that they did before, so that the prompt cache holds. */
  private async keepTools(offered: readonly Definition[] = this.offered, found: readonly string[]): Promise<void> {
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
