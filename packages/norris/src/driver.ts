import { AishError, isAishError, type LiveBody, type Notice, type Preset, type Turn } from '@aish/contracts';
import type { Broker } from '@aish/broker';
import {
  LockNamespace,
  inTransaction,
  lockAsDriver,
  raiseEpoch,
  withAdvisoryLock,
  type Database,
  type GoalRow,
} from '@aish/database';
import type { Sandbox } from '@aish/sandbox-client';
import { act } from './act.js';
import { pauseMs } from './backoff.js';
import type { SafetyGate } from './gate.js';
import { LiveText } from './live.js';
import { loadGoal, loadTurns } from './load.js';
import { advance, type ActEffect, type GoalEvent, type GoalMachine } from './machine.js';
import { record } from './record.js';

export interface DriverPorts {
  readonly db: Database;
  readonly broker: Broker;
  readonly sandbox: Sandbox;
  readonly gate: SafetyGate;
  /** Tells the world; best effort, never awaited by the goal. */
  readonly publish: (notice: Notice) => void;
}

export interface DriverSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** How long to wait for a goal whose last driver is about to leave it, milliseconds. */
  readonly lockWaitMs: number;
}

/** Where a goal stands when its driver leaves it. `wakeInMs`: when to come back, for a goal that waits. */
export interface DriveResult {
  readonly driven: boolean;
  readonly wakeInMs: number | null;
}

const NOT_DRIVEN: DriveResult = { driven: false, wakeInMs: null };

/** Drives goals: carries the effects of the step machine out. One driver per goal, whatever is restarted. */
export class Driver {
  constructor(
    private readonly ports: DriverPorts,
    private readonly settings: DriverSettings,
  ) {}

  /**
   * Drives one goal until it ends, halts, waits or `signal` aborts. Between any two acts its state is in the database,
   * so it may be killed at any point and driven on by another. Not driving because someone else does is no error.
   */
  async drive(goalId: string, signal: AbortSignal): Promise<DriveResult> {
    try {
      return await withAdvisoryLock(
        this.ports.db,
        LockNamespace.goal,
        goalId,
        (lockSignal) => this.driveLocked(goalId, AbortSignal.any([signal, lockSignal])),
        { waitMs: this.settings.lockWaitMs, signal },
      );
    } catch (error) {
      if (isAishError(error, 'locked', 'lock_lost', 'epoch_superseded', 'aborted')) return NOT_DRIVEN;
      throw error;
    }
  }

  private async driveLocked(goalId: string, signal: AbortSignal): Promise<DriveResult> {
    const { db } = this.ports;
    const loaded = await inTransaction(db, async (tx) => {
      const row = await raiseEpoch(tx, goalId);
      return row === null ? null : { ...(await loadGoal(tx, row)), turns: await loadTurns(tx, row) };
    });
    if (loaded === null) return NOT_DRIVEN;
    const drive = new Drive(this.ports, this.settings, loaded.row, loaded.machine, loaded.stepText, loaded.turns);
    return drive.run(signal);
  }
}

/** One driver's time with one goal. What it knows is what it wrote: every write is refused once its epoch is old. */
class Drive {
  private readonly live: LiveText;
  private waits: number;

  constructor(
    private readonly ports: DriverPorts,
    private readonly settings: DriverSettings,
    private readonly row: GoalRow,
    private machine: GoalMachine,
    private stepText: string,
    private turns: readonly Turn[],
  ) {
    this.waits = row.waits;
    this.live = new LiveText((body: LiveBody) => ports.publish({ type: 'live', sessionId: row.session_id, body }));
  }

  async run(signal: AbortSignal): Promise<DriveResult> {
    let effect = await this.take({ type: 'taken' });
    while (effect !== null) {
      if (signal.aborted) throw new AishError('aborted', 'The driver was told to stop');
      effect = await this.take(await this.carryOut(effect, signal));
    }
    const wakeInMs = this.machine.state === 'waiting' ? this.pause(this.waits - 1) : null;
    return { driven: true, wakeInMs };
  }

  private async carryOut(effect: ActEffect, signal: AbortSignal): Promise<GoalEvent> {
    const preset = this.settings.presets.find((candidate) => candidate.name === this.row.preset);
    if (preset === undefined) return { type: 'failed', reason: `there is no preset ${this.row.preset}` };
    try {
      return await act(
        effect,
        {
          goalId: this.row.id,
          preset,
          step: this.machine.step?.n ?? 0,
          workspaceId: this.row.session_id,
          turns: this.turns,
          commandTimeoutMs: this.settings.commandTimeoutMs,
          live: (body) => this.live.push(body),
        },
        this.ports,
        signal,
      );
    } finally {
      this.live.flush();
    }
  }

  /** One event: decided purely, written in one transaction, then told. */
  private async take(event: GoalEvent): Promise<ActEffect | null> {
    const { machine, records, act: next } = advance(this.machine, event);
    if (records.length > 0) {
      const { id, session_id: sessionId, epoch } = this.row;
      const stepText = event.type === 'answered' ? event.text : this.stepText;
      const { notice, turns } = await inTransaction(this.ports.db, async (tx) => {
        await lockAsDriver(tx, id, epoch);
        return record(tx, records, {
          goalId: id,
          sessionId,
          previous: this.machine,
          machine,
          stepText,
          wakeInMs: this.pause(this.waits),
        });
      });
      this.turns = [...this.turns, ...turns];
      this.stepText = stepText;
      if (machine.state === 'waiting') this.waits += 1;
      else if (records.some((effect) => effect.type === 'startStep' || effect.type === 'answerStep')) this.waits = 0;
      if (notice !== null) this.ports.publish(notice);
    }
    this.machine = machine;
    return next;
  }

  private pause(waits: number): number {
    return pauseMs(Math.max(0, waits), this.settings.waitMinMs, this.settings.waitMaxMs);
  }
}
