import { setMaxListeners } from 'node:events';
import { toProblem } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import type { RunProcess } from './run.process.js';
import type { Run } from './run.js';

const LEAVE_WAIT_MS = 5_000;

/** The IDs of a run and its workspace. */
export interface RunIds {
  readonly runId: string;
  readonly workspaceId: string;
}

/** Holds the runs that are waiting or running now. */
export class LiveRuns {
  private readonly runs = new Map<string, Run>();
  private readonly carrying = new Set<Promise<void>>();

  constructor(
    private readonly newRun: (ids: RunIds) => Run,
    private readonly process: RunProcess,
    private readonly use: WorkspaceUse,
    /** Aborts when this service stops. Containers are left to its next start. */
    private readonly leaving: AbortController,
  ) {
    // Every run listens to this signal, and Node would warn of a leak above ten listeners.
    setMaxListeners(0, leaving.signal);
  }

  get running(): number {
    return this.process.running;
  }

  get isLeaving(): boolean {
    return this.leaving.signal.aborted;
  }

  get(runId: string): Run | undefined {
    return this.runs.get(runId);
  }

  /**
   * Adds a new run. The caller must not await between looking up the run and adding it. Otherwise two requests for one
   * ID could create two runs.
   */
  add(request: RunRequest): Run {
    return this.track(request, (run) => this.process.carryOut(run, request));
  }

  /** Takes over a run whose container this service started before its restart. */
  adopt(ids: RunIds): void {
    this.track(ids, (run) => this.process.takeOver(run));
  }

  /**
   * Kills every run that may write files, with the reason in its output, because the host is about to run out of space.
   */
  stopWriters(): void {
    for (const run of this.runs.values()) {
      if (run.workplace?.mayWrite === true) run.stop('disk', 'the disk of the host is nearly full: killed');
    }
  }

  /** Accepts no new runs, detaches from all runs, and leaves their containers to the next start. */
  async leave(): Promise<void> {
    this.leaving.abort();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, LEAVE_WAIT_MS)));
    await Promise.race([Promise.allSettled(this.carrying), late]);
    clearTimeout(timer);
  }

  private track(ids: RunIds, work: (run: Run) => Promise<void>): Run {
    const run = this.newRun(ids);
    this.runs.set(run.runId, run);
    const leave = this.use.enter(run.workspaceId);
    const tracked = work(run)
      .catch((error: unknown) => refuse(run, error))
      .finally(() => {
        this.runs.delete(run.runId);
        leave();
        run.output.close();
        this.carrying.delete(tracked);
      });
    this.carrying.add(tracked);
    return run;
  }
}

/** Ends a run that has not begun. The caller gets the reason as a response, or as the last frame of the stream. */
function refuse(run: Run, error: unknown): void {
  run.log.warn({ err: error }, 'run refused');
  run.admitted.reject(error);
  run.ended.reject(error);
  run.output.end({ type: 'error', problem: toProblem(error) });
}
