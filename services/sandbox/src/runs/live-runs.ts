import { setMaxListeners } from 'node:events';
import { toProblem } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import type { RunProcess } from './run.process.js';
import type { Run } from './run.js';

const LEAVE_WAIT_MS = 5_000;

/** Which run it is. */
export interface RunIds {
  readonly runId: string;
  readonly workspaceId: string;
}

/** The runs that wait or run right now. */
export class LiveRuns {
  private readonly runs = new Map<string, Run>();
  private readonly carrying = new Set<Promise<void>>();

  constructor(
    private readonly newRun: (ids: RunIds) => Run,
    private readonly process: RunProcess,
    private readonly use: WorkspaceUse,
    /** Aborted when this service goes; containers are left for its next start. */
    private readonly leaving: AbortController,
  ) {
    // Every run listens to it; Node would take more than ten for a leak.
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

  /** Takes a new run in. Synchronous up to here: two requests for one id meet in the same run. */
  add(request: RunRequest): Run {
    return this.track(request, (run) => this.process.carryOut(run, request));
  }

  /** Takes over a run whose container somebody else started: this service before its restart. */
  adopt(ids: RunIds): void {
    this.track(ids, (run) => this.process.takeOver(run));
  }

  /** Kills every run that may write files, with the reason in its output: the host is about to run out of space. */
  stopWriters(): void {
    for (const run of this.runs.values()) {
      if (run.workplace?.mayWrite === true) run.stop('disk', 'the disk of the host is nearly full: killed');
    }
  }

  /** Takes no new runs, lets go of all, and leaves their containers to the next start. */
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

/** Nothing has begun: the one who asked hears why, as an answer or as the last frame of the stream. */
function refuse(run: Run, error: unknown): void {
  run.log.warn({ err: error }, 'run refused');
  run.admitted.reject(error);
  run.ended.reject(error);
  run.output.end({ type: 'error', problem: toProblem(error) });
}
