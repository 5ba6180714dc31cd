import { setMaxListeners } from 'node:events';
import { toProblem, type RunRequest, type SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { WarmEngine } from '../engine/warm.engine.js';
import type { WarmPool } from '../warm/warm.pool.js';
import { PendingWork } from '../workspaces/pending-work.js';
import type { WorkspaceHolds } from '../workspaces/workspace.holds.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { OutcomeStore } from './outcome.store.js';
import { RunDriver } from './run.driver.js';
import type { Calm } from './calm.js';
import type { Removals } from './removals.js';
import { serviceStopping } from './run-errors.js';
import { RunSlots } from './run-slots.js';
import { RunStarter } from './run.starter.js';
import { Run } from './run.js';
import type { Surroundings } from './surroundings.js';

const LEAVE_WAIT_MS = 5_000;

/** The runs that wait or run right now. */
export class LiveRuns {
  private readonly runs = new Map<string, Run>();
  private readonly carrying = new Set<Promise<void>>();
  private readonly preparing = new PendingWork();
  private readonly leaving = new AbortController();
  private readonly slots: RunSlots;
  private readonly driver: RunDriver;

  private readonly starter: RunStarter;

  constructor(
    private readonly engine: DockerEngine,
    containers: WarmEngine,
    private readonly pool: WarmPool,
    private readonly store: OutcomeStore,
    workspaces: WorkspaceStore,
    space: WorkspaceSpace,
    private readonly surroundings: Surroundings,
    private readonly holds: WorkspaceHolds,
    private readonly removals: Removals,
    private readonly calm: Calm,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {
    const leaving = this.leaving.signal;
    this.slots = new RunSlots(config.RUNS_AT_ONCE, config.RUNS_QUEUED);
    this.starter = new RunStarter(engine, containers, pool, store, workspaces, space, surroundings, logger, leaving);
    this.driver = new RunDriver(engine, containers, this.starter, store, workspaces, removals, logger, leaving);
    // Every run listens to it; Node would take more than ten for a leak.
    setMaxListeners(0, this.leaving.signal);
  }

  get running(): number {
    return this.slots.running;
  }

  get isLeaving(): boolean {
    return this.leaving.signal.aborted;
  }

  get(runId: string): Run | undefined {
    return this.runs.get(runId);
  }

  /** Whether a run that waits or runs uses this workspace. */
  uses(workspaceId: string): boolean {
    return [...this.runs.values()].some((run) => run.workspaceId === workspaceId);
  }

  /** Takes a new run in. Synchronous up to here: two requests for one id meet in the same run. */
  add(request: RunRequest): Run {
    const run = this.register(request.runId, request.workspaceId);
    this.track(run, this.process(run, request));
    return run;
  }

  /** Kills every run that may write files, with the reason in its output: the host is about to run out of space. */
  stopWriters(): void {
    for (const run of this.runs.values()) {
      if (run.workplace?.mayWrite !== true || run.stopped.aborted) continue;
      run.output.take({ stream: 'stderr', bytes: Buffer.from('aish: the disk of the host is nearly full: killed\n') });
      run.stop('disk');
    }
  }

  /** Makes a container ready for the next command of a workspace. @returns whether one waits now. */
  prepare(next: Pick<RunRequest, 'workspaceId' | 'hostFolders'>): Promise<boolean> {
    const ready = this.starter.workplaceOf(next).then((workplace) => this.pool.prepare(workplace));
    return this.preparing.add(next.workspaceId, ready);
  }

  /** Resolves when nobody is about to make a container ready for a workspace. */
  prepared(workspaceId: string): Promise<void> {
    return this.preparing.settled(workspaceId);
  }

  /** Takes over a run whose container somebody else started: this service before its restart. */
  adopt({ runId, workspaceId }: { readonly runId: string; readonly workspaceId: string }): void {
    const run = this.register(runId, workspaceId);
    run.output.connections.restore(this.store.connectionsOf(runId));
    const giveBack = this.slots.takeOver();
    run.admitted.resolve();
    this.track(run, this.joined(run, () => this.driver.carry(run, null)).finally(giveBack));
  }

  /** Takes no new runs, lets go of all, and leaves their containers to the next start. */
  async leave(): Promise<void> {
    this.leaving.abort();
    const settled = Promise.allSettled(this.carrying).then(() => this.removals.settled());
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([settled, new Promise((resolve) => (timer = setTimeout(resolve, LEAVE_WAIT_MS)))]);
    clearTimeout(timer);
  }

  private register(runId: string, workspaceId: string): Run {
    const limits = {
      keptMaxBytes: this.config.RUN_OUTPUT_MAX_BYTES,
      streamedMaxBytes: this.config.RUN_STREAM_MAX_BYTES,
    };
    const run = new Run(runId, workspaceId, limits, (connection) => this.store.keepConnection(runId, connection));
    this.runs.set(runId, run);
    return run;
  }

  private track(run: Run, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.refuse(run, error))
      .finally(() => {
        this.runs.delete(run.runId);
        run.output.close();
        this.carrying.delete(tracked);
      });
    this.carrying.add(tracked);
  }

  private async process(run: Run, request: RunRequest): Promise<void> {
    await this.engine.ready();
    this.slots.refuseIfFull();
    // Its turn may come late, so whoever asked is told that it waits; one that begins at once can still be refused.
    if (!this.slots.hasRoom) run.admitted.resolve();
    const giveBack = await this.slots.take(AbortSignal.any([run.stopped, this.leaving.signal]));
    try {
      if (run.stopped.aborted) {
        run.admitted.resolve();
        await this.driver.cancelQueued(run);
        return;
      }
      if (giveBack === null || this.isLeaving) throw serviceStopping();
      await this.engine.ready();
      await this.holds.free(run.workspaceId);
      const disturbance = this.calm.disturb();
      try {
        await this.joined(run, async () => {
          const watch = await this.starter.begin(run, request);
          disturbance.begun();
          run.admitted.resolve();
          await this.driver.carry(run, watch);
        });
      } finally {
        disturbance.over();
      }
      // The model thinks now, or a person does: time to make the next container ready.
      if (run.workplace !== null) void this.prepareNext(request);
    } finally {
      giveBack?.();
    }
  }

  /** It may be that what this run had is no longer allowed or there: then the next one hears why, not this one. */
  private async prepareNext(request: RunRequest): Promise<void> {
    try {
      await this.prepare(request);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId: request.workspaceId }, 'no container is made ready');
    }
  }

  private async joined(run: Run, work: () => Promise<void>): Promise<void> {
    const leave = await this.surroundings.join(run.workspaceId, run.output.connections);
    try {
      await work();
    } finally {
      leave();
    }
  }

  /** Nothing has begun: the one who asked hears why, as an answer or as the last frame of the stream. */
  private refuse(run: Run, error: unknown): void {
    this.logger.warn({ err: error, ...run.ids }, 'run refused');
    run.admitted.reject(error);
    run.ended.reject(error);
    run.output.end({ type: 'error', problem: toProblem(error) });
  }
}
