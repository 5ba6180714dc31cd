import { pauseMs } from '@aish/actions';
import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { Priority, isTerminal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import { Trust, limitTrust } from '@aish/contracts/trust';
import type { GoalRow } from '@aish/database/generated/rows';
import { listUnheard } from '@aish/database/events.repository';
import { haltExpiryOf, lockAsRunner, setGoalOffered } from '@aish/database/goals.repository';
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
import type { GoalRunResult, GoalRunPorts, GoalRunSettings } from './goal-ports.js';
import { LiveText } from './live.js';
import { offeredTools, type LoadedGoal } from './load.js';
import { announceAdvance, isOneStatement, recordGoal } from './record.js';
import type { GoalMachine } from '../machine/goal/state.js';
import { StepClock } from './step-clock.js';
import { keepStopped } from './with-machine.js';

/** The minimum time for a command in milliseconds, even if the goal has less time left. */
const COMMAND_MIN_MS = 1_000;
/** The longest Retry-After that aish follows, in milliseconds. */
const RETRY_AFTER_MAX_MS = 3_600_000;

type Effect = NonNullable<Advance['effect']>;

/** A goal as its runner finds it. */
export interface TakenGoal extends LoadedGoal {
  /** The turns that the model sees, in order. */
  readonly turns: readonly Turn[];
  /** The number of the earlier goal of the schedule that must end first. */
  readonly before: number | null;
}

/** The result of an effect, and the data that the runner needs for the next request. */
interface Performed {
  readonly event: GoalEvent;
  /** How long the endpoint that refused asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly offered?: readonly Definition[];
  readonly found?: readonly string[];
}

/** One runner's work on one goal. */
export class GoalRun extends SessionRun<GoalMachine, GoalEvent, GoalRecord> {
  private readonly row: GoalRow;
  private readonly before: number | null;
  private readonly liveText: LiveText;
  private readonly clock: StepClock;
  private waits: number;
  /**
   * Whether this runner has asked the model. Afterwards it no longer looks for the answer to a request of an earlier
   * runner.
   */
  private hasAsked = false;
  /** The delay before a goal that starts to wait is tried again. */
  private wakeInMs: number;
  private memory: Promise<string | null> | null = null;

  constructor(
    private readonly ports: GoalRunPorts,
    private readonly settings: GoalRunSettings,
    { row, machine, stepText: words, turns, before }: TakenGoal,
  ) {
    const { id, session_id: sessionId, created_by: owner, host_folders: hostFolders, hosts } = row;
    const session = { sessionId, owner, goalId: id };
    const taken = { id, session, hostFolders, hosts, machine, turns, words, offered: offeredTools(row) };
    super({ ports, settings, isOneStatement }, taken);
    this.row = row;
    this.before = before;
    this.waits = row.waits;
    this.wakeInMs = this.pause(row.waits);
    this.clock = new StepClock(row.preset);
    this.liveText = new LiveText((body) => ports.publish({ type: 'live', sessionId, body }));
  }

  async run(signal: AbortSignal): Promise<GoalRunResult> {
    if (this.before !== null) {
      await this.apply({ type: 'unavailable', what: 'turn', reason: `goal ${this.before} goes first`, began: false });
      this.wakeInMs = this.pause(this.waits);
      return this.leave();
    }
    await this.lookForMessages();
    let effect = await this.apply({ type: 'taken' });
    while (effect !== null) {
      if (signal.aborted) throw new AishError('aborted', 'The runner of the goal was stopped');
      if (effect.type === 'ask') await this.hear();
      const { event, retryAfterMs, offered, found = [] } = await this.timed(effect, signal);
      await this.keepTools(offered, found);
      this.wakeInMs = retryAfterMs === undefined ? this.pause(this.waits) : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
      await this.lookForMessages();
      effect = await this.applyOrAgain(event, effect);
    }
    return this.leave();
  }

  /** Adds the messages that people have written to the goal since the model's last turn. */
  private async hear(): Promise<void> {
    const unread = await listUnheard(this.ports.db.statements, this.row.session_id);
    const upTo = unread.at(-1)?.seq;
    if (upTo === undefined) return;
    await this.apply({ type: 'said', messages: unread.map(({ text }) => text), upTo });
    this.mark(false);
  }

  /** Checks for unread messages. While there are any, an answer of the model does not end the goal. */
  private async lookForMessages(): Promise<void> {
    this.mark((await listUnheard(this.ports.db.statements, this.row.session_id)).length > 0);
  }

  /** Sets or removes the flag. It is absent rather than false, as in a machine that was loaded from rows. */
  private mark(hasUnheard: boolean): void {
    const { hasUnheard: _, ...machine } = this.machine;
    this.machine = hasUnheard ? { ...machine, hasUnheard } : machine;
  }

  /** Schedules a retry after an unexpected error. The number of retries is limited. */
  async giveUp(reason: string): Promise<GoalRunResult> {
    this.wakeInMs = this.pause(this.machine.failures);
    await this.apply({ type: 'broke', reason });
    return this.leave();
  }

  private async leave(): Promise<GoalRunResult> {
    await this.at('drive.left');
    const priority = Priority.parse(this.row.priority);
    return { ran: true, wakeInMs: this.machine.state === 'waiting' ? this.wakeInMs : null, priority };
  }

  /** Runs one effect, as a span and on the clock of the step. */
  private async timed(effect: Effect, signal: AbortSignal): Promise<Performed> {
    const from = performance.now();
    const performed = await inSpan(`norris ${effect.type}`, { step: this.step }, () => this.perform(effect, signal));
    const { event } = performed;
    const isModels =
      event.type === 'classified' && event.judgements.some(({ classification: { by } }) => by === 'second-opinion');
    if (effect.type !== 'classify' || isModels) this.clock.exclude(performance.now() - from);
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
    // The sandbox gets ready while the model thinks. A refusal is ignored here, because the next command reports it.
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

  /** Returns the next question to the model; null if the preset no longer exists. */
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

  /** Returns a function that lets the model read the known part of its next question while a person decides. */
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

  /** Returns the bounds of actions: safe commands run, and everything else needs a grant of a person. */
  protected bounds() {
    const { ports, settings, row, machine } = this;
    const timeLeftMs = machine.timeBudgetMs === null ? Infinity : machine.timeBudgetMs - machine.activeMs;
    return {
      stepBudget: machine.stepBudget,
      commandTimeoutMs: Math.round(Math.min(settings.commandTimeoutMs, Math.max(COMMAND_MIN_MS, timeLeftMs))),
      haltExpiry: haltExpiryOf(row),
      confirmCommands: false,
      onlyLooks: machine.awaitsPlan === true,
      trust: limitTrust(settings.trustMax, Trust.parse(row.trust)),
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

  /**
   * Keeps the tools that requests have described. Later requests describe at least these, so that the prompt cache
   * stays valid.
   */
  private async keepTools(offered: readonly Definition[] = this.offered, found: readonly string[]): Promise<void> {
    this.wanted = [...new Set([...this.wanted, ...found])];
    if (JSON.stringify(offered) === JSON.stringify(this.offered)) return;
    this.offered = offered;
    await this.write((tx) => setGoalOffered(tx, this.row.id, offered));
  }

  protected lock(tx: Tx): Promise<void> {
    return lockAsRunner(tx, this.row.id, this.row.epoch);
  }

  private pause(waits: number): number {
    return pauseMs(Math.max(0, waits), this.settings.waitMinMs, this.settings.waitMaxMs);
  }
}
