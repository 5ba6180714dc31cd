import { availableParallelism } from 'node:os';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { RunRequest } from '@aish/contracts/runs';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { StartupThrottle } from '../scheduling/startup.throttle.js';
import { Slots } from '../scheduling/slots.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import { serviceStopping } from './run-errors.js';
import type { Run } from './run.js';

/** The longest time for which one slow start blocks the others. */
const START_MAX_MS = 5_000;

/** The slot of an admitted run. */
export interface Turn {
  /** Must be called when the run's container is running. */
  readonly begun: () => void;
  readonly over: () => void;
}

/**
 * Admits runs. A limited number may run at once, the engine must be available, and nobody else may be working on the
 * workspace. Starting a container occupies a processor, so starting background runs always leave one processor to the
 * commands of people.
 */
export class Admission {
  private readonly slots: Slots;
  private readonly starts: Slots;

  constructor(
    private readonly engine: Pick<DockerEngine, 'ready'>,
    private readonly use: WorkspaceUse,
    private readonly throttle: StartupThrottle,
    { RUNS_AT_ONCE, RUNS_QUEUED }: Pick<SandboxConfig, 'RUNS_AT_ONCE' | 'RUNS_QUEUED'>,
  ) {
    this.slots = new Slots(RUNS_AT_ONCE, RUNS_QUEUED);
    this.starts = new Slots(Math.max(1, availableParallelism() - 1), RUNS_QUEUED);
  }

  get running(): number {
    return this.slots.running;
  }

  /** Whether runs are waiting for a slot. */
  get isCrowded(): boolean {
    return this.slots.isCrowded || this.starts.isCrowded;
  }

  /**
   * Resolves when the run may begin, or with null if it was stopped before.
   * @throws AishError `too_many`, `service_stopping`, and the reason why the engine cannot run anything
   */
  async enter(run: Run, { background }: Pick<RunRequest, 'background'>): Promise<Turn | null> {
    await this.engine.ready();
    this.slots.refuseIfFull(background);
    if (background) this.starts.refuseIfFull(background);
    // The wait may be long, so the caller is told that the run is admitted. A run that begins without waiting can still
    // be refused.
    if (!this.slots.hasRoom || (background && !this.starts.hasRoom)) run.admitted.resolve();
    const place = await this.place(AbortSignal.any([run.stopped, run.leaving]), background);
    try {
      if (run.stopped.aborted) {
        place?.over();
        return null;
      }
      if (place === null || run.leaving.aborted) throw serviceStopping();
      await this.engine.ready();
      // A preview has already locked the workspace.
      if (!run.isPreview) await this.use.free(run.workspaceId);
    } catch (error) {
      place?.over();
      throw error;
    }
    const { begun, over } = this.throttle.disturb();
    return {
      begun: () => {
        place.begun();
        begun();
      },
      over: () => {
        over();
        place.over();
      },
    };
  }

  /** Returns a turn for a run that already exists and cannot wait. */
  takeOver(): Turn {
    return { begun: () => undefined, over: this.slots.takeOver() };
  }

  /** Waits for permission to start before it takes a slot, so that a waiting run occupies no slot. */
  private async place(signal: AbortSignal, background: boolean): Promise<Turn | null> {
    const start = background ? await this.starts.take(signal) : null;
    const timer = start && setTimeout(start, START_MAX_MS).unref();
    const begun = () => {
      clearTimeout(timer ?? undefined);
      start?.();
    };
    try {
      const place = await this.slots.take(signal, background);
      if (place === null) begun();
      return (
        place && {
          begun,
          over: () => {
            begun();
            place();
          },
        }
      );
    } catch (error) {
      begun();
      throw error;
    }
  }
}
