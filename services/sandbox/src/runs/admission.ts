import type { RunRequest } from '@aish/contracts/runs';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { Calm } from '../scheduling/calm.js';
import type { Slots } from '../scheduling/slots.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import { serviceStopping } from './run-errors.js';
import type { Run } from './run.js';

/** A run's place among those that run side by side. */
export interface Turn {
  /** Its container runs. */
  readonly begun: () => void;
  readonly over: () => void;
}

/** Lets runs begin: so many at once, when the engine can, and when nobody works on their workspace. */
export class Admission {
  constructor(
    private readonly engine: DockerEngine,
    private readonly slots: Slots,
    private readonly use: WorkspaceUse,
    private readonly calm: Calm,
  ) {}

  get running(): number {
    return this.slots.running;
  }

  /**
   * Resolves when it is the run's turn; with null when the run was stopped before.
   * @throws AishError `too_many`, `service_stopping`, and what keeps the engine from running anything.
   */
  async enter(run: Run, { background }: Pick<RunRequest, 'background'>): Promise<Turn | null> {
    await this.engine.ready();
    this.slots.refuseIfFull(background);
    // Its turn may come late, so whoever asked is told that it waits; one that begins at once can still be refused.
    if (!this.slots.hasRoom) run.admitted.resolve();
    const giveBack = await this.slots.take(AbortSignal.any([run.stopped, run.leaving]), background);
    try {
      if (run.stopped.aborted) {
        giveBack?.();
        return null;
      }
      if (giveBack === null || run.leaving.aborted) throw serviceStopping();
      await this.engine.ready();
      // For a preview the workspace is held already.
      if (!run.isPreview) await this.use.free(run.workspaceId);
    } catch (error) {
      giveBack?.();
      throw error;
    }
    const { begun, over } = this.calm.disturb();
    return {
      begun,
      over: () => {
        over();
        giveBack();
      },
    };
  }

  /** For a run that is there already and cannot wait. */
  takeOver(): Turn {
    return { begun: () => undefined, over: this.slots.takeOver() };
  }
}
