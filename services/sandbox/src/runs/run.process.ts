import type { RunRequest } from '@aish/contracts/runs';
import type { StashedPreviews } from './stashed.previews.js';
import type { Admission } from './admission.js';
import type { GrowthWatch } from './growth.watch.js';
import type { RunFollower } from './run.follower.js';
import type { RunStarter } from './run.starter.js';
import type { Run } from './run.js';
import type { ExecutionContexts } from './execution-contexts.js';

/**
 * Carries out one run from the request to its end: the run waits for a slot, begins and is followed, and then the next
 * container is prepared.
 */
export class RunProcess {
  constructor(
    private readonly admission: Admission,
    private readonly starter: RunStarter,
    private readonly follower: RunFollower,
    private readonly contexts: ExecutionContexts,
    private readonly growth: GrowthWatch,
    private readonly kept: StashedPreviews,
  ) {}

  /** The number of runs that are running now. */
  get running(): number {
    return this.admission.running;
  }

  /** Carries out a run. @throws AishError if nothing has begun */
  async carryOut(run: Run, request: RunRequest): Promise<void> {
    run.asksHosts = request.hosts;
    run.isPreview = request.hold?.mode === 'preview';
    run.secrets = request.secrets;
    run.output.conceal(request.secrets.filter(({ exposed }) => exposed));
    const turn = await this.admission.enter(run, request);
    if (turn === null) {
      run.admitted.resolve();
      await this.follower.cancelQueued(run);
      return;
    }
    try {
      await this.joined(run, async () => {
        const kept = run.isPreview ? null : await this.kept.adopt(run, request);
        const watch = kept === null ? await this.starter.begin(run, request) : null;
        turn.begun();
        run.admitted.resolve();
        if (kept !== null) this.follower.finishKept(run, kept);
        else await this.follower.carry(run, watch);
      });
    } finally {
      turn.over();
    }
    // The model or a person is now thinking, so there is time to prepare the next container.
    if (run.workplace !== null && !run.isPreview) void this.starter.prepareAfter(run, request);
  }

  /** Takes over a run whose container this service started before its restart. */
  async takeOver(run: Run): Promise<void> {
    const turn = this.admission.takeOver();
    run.admitted.resolve();
    try {
      await this.joined(run, () => this.follower.carryOn(run));
    } finally {
      turn.over();
    }
  }

  private async joined(run: Run, work: () => Promise<void>): Promise<void> {
    const leave = await this.contexts.join(run);
    const unwatch = this.growth.watch(run);
    try {
      await work();
    } finally {
      unwatch();
      leave();
    }
  }
}
