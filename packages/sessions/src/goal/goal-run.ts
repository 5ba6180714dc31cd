import { pauseMs } from '@aish/actions';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { Priority, isTerminal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import { Trust, trustUpTo } from '@aish/contracts/trust';
import type { GoalRow } from '@aish/database/generated/rows';
import { haltExpiryOf, lockAsDriver, setGoalOffered } from '@aish/database/goals.repository';
import { toolsOfRunbooks } from '@aish/database/runbooks.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { inSpan } from '@aish/telemetry';
import type { Definition } from '@aish/tools';
import { SessionRun } from '../session-run.js';
import { noticeOf, type Recorded } from '../record.js';
import { advance } from '../machine/goal/advance.js';
import { askForStep, readAheadForStep, type GoalQuestion } from './ask-goal.js';
import type { Advance, GoalEvent, GoalRecord } from '../machine/goal/events.js';
import type { DriveResult, GoalDriverPorts, GoalDriverSettings } from './goal-ports.js';
import { LiveText } from './live.js';
import { offeredOf, type LoadedGoal } from './load.js';
import { announceAdvance, isOneStatement, recordGoal } from './record.js';
import type { GoalMachine } from '../machine/goal/state.js';
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

/** One driver's time with one goal. */
export class GoalRun extends SessionRun<GoalMachine, GoalEvent, GoalRecord> {
  private readonly row: GoalRow;
  private readonly before: number | null;
  private readonly liveText: LiveText;
  private readonly clock: StepClock;
  private waits: number;
  /** Whether this driver has asked the model: what an earlier one has asked is not asked for any more. */
  private hasAsked = false;
  /** When a goal that waits from here on is to be tried again. */
  private wakeInMs: number;
  private memory: Promise<string | null> | null = null;

  constructor(
    private readonly ports: GoalDriverPorts,
    private readonly settings: GoalDriverSettings,
    { row, machine, stepText: words, turns, before }: TakenGoal,
  ) {
    const { id, session_id: sessionId, created_by: owner, host_folders: hostFolders, hosts } = row;
    const session = { sessionId, owner, goalId: id };
    const taken = { id, session, hostFolders, hosts, machine, turns, words, offered: offeredOf(row) };
    super({ ports, settings, isOneStatement }, taken);
    this.row = row;
    this.before = before;
    this.waits = row.waits;
    this.wakeInMs = this.pause(row.waits);
    this.clock = new StepClock(row.preset);
    this.liveText = new LiveText((body) => ports.publish({ type: 'live', sessionId, body }));
  }

  async run(signal: AbortSignal): Promise<DriveResult> {
    if (this.before !== null) {
      await this.apply({ type: 'away', what: 'turn', reason: `goal ${this.before} goes first`, began: false });
      this.wakeInMs = this.pause(this.waits);
      return this.leave();
    }
    let effect = await this.apply({ type: 'taken' });
    while (effect !== null) {
      if (signal.aborted) throw new AishError('aborted', 'The driver was told to stop');
      const { event, retryAfterMs, offered, found = [] } = await this.timed(effect, signal);
      await this.keepTools(offered, found);
      this.wakeInMs = retryAfterMs === undefined ? this.pause(this.waits) : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
      effect = await this.applyOrAgain(event, effect);
    }
    return this.leave();
  }

  /** After an error that nobody foresaw: tried again later, a bounded number of times. */
  async giveUp(reason: string): Promise<DriveResult> {
    this.wakeInMs = this.pause(this.machine.failures);
    await this.apply({ type: 'broke', reason });
    return this.leave();
  }

  private async leave(): Promise<DriveResult> {
    await this.at('drive.left');
    const priority = Priority.parse(this.row.priority);
    return { driven: true, wakeInMs: this.machine.state === 'waiting' ? this.wakeInMs : null, priority };
  }

  /** One effect, as a span and on the step's clock. */
  private async timed(effect: Effect, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const performed = await inSpan(`norris ${effect.type}`, { step: this.step }, () => this.perform(effect, signal));
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
      this.liveText.flush();
    }
  }

  private async ask(signal: AbortSignal): Promise<Performed> {
    const { row, ports } = this;
    const question = this.question();
    if (question === null) return { event: { type: 'failed', reason: `there is no preset ${row.preset}` } };
    await this.at('ask.before');
    // While the model thinks. What it may have against it is heard when a command asks for one.
    const next = {
      workspaceId: row.session_id,
      hostFolders: row.host_folders,
      hosts: ports.hosts !== undefined && row.hosts.length > 0,
      background: true,
    };
    ports.sandbox.prepare(next, signal).catch(() => false);
    this.hasAsked = true;
    const reply = await askForStep(question, ports, signal);
    if (reply.event.type === 'answered') this.words = reply.event.text;
    await this.at('ask.after');
    return reply;
  }

  /** Null where the preset is there no more. */
  private question(): GoalQuestion | null {
    const { row, settings, ports, step } = this;
    const preset = settings.presets.find((candidate) => candidate.name === row.preset);
    if (preset === undefined) return null;
    const session = { sessionId: row.session_id, owner: row.created_by, goalId: row.id };
    return {
      session,
      preset,
      seed: row.seed,
      step,
      toolShare: settings.toolShare,
      turns: this.turns,
      resumes: !this.hasAsked,
      offered: this.offered,
      wanted: this.wanted,
      memory: () => (this.memory ??= ports.memory(session)),
      live: (body: LiveBody) => this.live(body),
      stopped: (text: string) => this.keepStopped(step, text),
    };
  }

  /** Where a person has been asked: lets the model read what it knows already of its next question. */
  get readsAhead(): ((signal: AbortSignal) => Promise<boolean>) | null {
    const question = this.question();
    if (this.machine.state !== 'halted' || question === null) return null;
    return (signal) => readAheadForStep(question, this.ports, signal);
  }

  private async keepStopped(step: number, text: string): Promise<void> {
    const event = { type: 'interrupted', step, text } as const;
    const notice = await inTransaction(this.ports.db, (tx) => keepStopped(tx, this.row.id, event));
    if (notice !== null) this.ports.publish(notice);
  }

  protected live(body: LiveBody): void {
    this.liveText.push(body);
  }

  /** What is safe runs; what else a person has granted. */
  protected bounds() {
    const { ports, settings, row, machine } = this;
    const timeLeftMs = machine.timeBudgetMs === null ? Infinity : machine.timeBudgetMs - machine.activeMs;
    return {
      stepBudget: machine.stepBudget,
      commandTimeoutMs: Math.round(Math.min(settings.commandTimeoutMs, Math.max(COMMAND_MIN_MS, timeLeftMs))),
      haltExpiry: haltExpiryOf(row),
      confirmCommands: false,
      trust: trustUpTo(settings.trustMax, Trust.parse(row.trust)),
      toolGrants: async () => {
        const tools = settings.grants ? await toolsOfRunbooks(ports.db.statements, row.id) : [];
        return tools.map((tool) => ({ tool, fingerprints: {} }));
      },
    };
  }

  protected decide(event: GoalEvent): Advance {
    return advance(this.machine, event);
  }

  protected record(tx: Tx, { machine, records }: Advance): Promise<Recorded> {
    const { id: goalId, session_id: sessionId, epoch } = this.row;
    const { machine: previous, words } = this;
    const wakeInMs = Math.round(this.wakeInMs);
    const haltExpiry = haltExpiryOf(this.row);
    return recordGoal(tx, records, { goalId, sessionId, epoch, previous, machine, words, wakeInMs, haltExpiry });
  }

  protected tell(events: readonly SessionEvent[]): void {
    const notice = noticeOf(this.row.id, this.row.session_id, events);
    if (notice !== null) this.ports.publish(notice);
  }

  protected override applied(event: GoalEvent, decided: Advance): void {
    const { machine, records } = decided;
    const isNextStep = records.some(({ type }) => type === 'startStep');
    if (records.length > 0 && machine.state === 'waiting') this.waits += 1;
    else if (isNextStep || records.some(({ type }) => type === 'answerStep')) this.waits = 0;
    announceAdvance(this.row.id, this.machine, event, decided);
    if (isNextStep) this.clock.begin();
    else if (isTerminal(machine.state)) this.clock.end();
    else if (machine.state !== 'running') this.clock.drop();
  }

  /** Requests describe at least the tools that they did before, so that the prompt cache holds. */
  private async keepTools(offered: readonly Definition[] = this.offered, found: readonly string[]): Promise<void> {
    this.wanted = [...new Set([...this.wanted, ...found])];
    if (JSON.stringify(offered) === JSON.stringify(this.offered)) return;
    this.offered = offered;
    await this.write((tx) => setGoalOffered(tx, this.row.id, offered));
  }

  protected lock(tx: Tx): Promise<void> {
    return lockAsDriver(tx, this.row.id, this.row.epoch);
  }

  private pause(waits: number): number {
    return pauseMs(Math.max(0, waits), this.settings.waitMinMs, this.settings.waitMaxMs);
  }
}
