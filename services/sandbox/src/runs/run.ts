import type { CountedConnection, RunFrame, RunOutcome, RunStatus } from '@aish/contracts';
import { settleable } from '../engine/settleable.js';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { StopReason } from './outcome.js';
import { RunOutput, type OutputLimits } from './run-output.js';

/** A run that has not ended, as this service holds it in memory. */
export class Run {
  readonly output: RunOutput;
  /** Resolves when the run waits for its turn or has begun; rejects when it could not begin. */
  readonly admitted = settleable<void>();
  /** Resolves with the last status; rejects when the run could not begin. */
  readonly ended = settleable<RunStatus>();
  /** What its container is made of, once it has begun. */
  workplace: NewWorkplace | null = null;
  private readonly stopping = new AbortController();

  constructor(
    readonly runId: string,
    readonly workspaceId: string,
    limits: OutputLimits,
    keepConnection?: (connection: CountedConnection) => void,
  ) {
    this.output = new RunOutput(limits, keepConnection);
    // Whether anybody waits for it or not, a refusal is no unhandled rejection.
    this.admitted.promise.catch(() => undefined);
    this.ended.promise.catch(() => undefined);
  }

  /** What log lines say of it. A workspace has the id of its session. */
  get ids(): { readonly runId: string; readonly workspaceId: string } {
    return { runId: this.runId, workspaceId: this.workspaceId };
  }

  /** Aborted with a `StopReason` when the run is to be killed. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  get stopReason(): StopReason | null {
    return this.stopped.aborted ? (this.stopped.reason as StopReason) : null;
  }

  /** Asks for the run to be killed. The first reason counts. */
  stop(reason: StopReason): void {
    this.stopping.abort(reason);
  }

  status(state: RunStatus['state'], outcome: RunOutcome | null): RunStatus {
    return { runId: this.runId, state, outcome, connections: [...this.output.connections.list()] };
  }

  end(status: RunStatus, last: RunFrame): void {
    this.output.end(last);
    this.ended.resolve(status);
  }
}
