import type { RunOutcome } from '@aish/contracts/actions';
import type { CountedConnection } from '@aish/contracts/network';
import type { RunFrame, RunStatus } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import type { Logger } from '@aish/http';
import { settleable } from '../engine/settleable.js';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { WholeOutput } from '../outputs/whole-output.js';
import type { Session } from '../workspaces/session.js';
import type { StopReason } from './outcome.js';
import { RunOutput, type OutputLimits } from './run-output.js';

/** The parts of the service that a run uses. */
export interface RunContext {
  readonly limits: OutputLimits;
  /** Adds the run and its workspace to each line. The workspace has the ID of its session. */
  readonly log: Logger;
  /** Aborts when this service stops. Containers are left to its next start. */
  readonly leaving: AbortSignal;
  readonly keepConnection: (connection: CountedConnection) => void;
  readonly whole?: WholeOutput;
}

/** An unfinished run in the memory of this service. */
export class Run {
  readonly output: RunOutput;
  /** Resolves when the run waits for a slot or has begun. Rejects if it could not begin. */
  readonly admitted = settleable<void>();
  /** Resolves with the last status. Rejects if the run could not begin. */
  readonly ended = settleable<RunStatus>();
  /** The settings of the run's container, once the run has begun. */
  workplace: NewWorkplace | null = null;
  /** Whether the run begins without some of the session's variables. The next command gets these variables back. */
  isPinned = false;
  /**
   * Whether the run is a preview. Its changes never count by themselves. If an action adopts the preview, that action
   * gets its session.
   */
  isPreview = false;
  left: Session | null = null;
  /**
   * Whether the run's `ssh` may ask the runner. Null means that this is unknown, because the run began before this
   * service started.
   */
  asksHosts: boolean | null = null;
  /** The secrets from the run's request. The list is empty after a restart of this service. */
  secrets: readonly RunSecret[] = [];
  /** Whether the run's command has exposed secrets that this service does not know after a restart. */
  hasUnknownSecrets = false;
  private readonly stopping = new AbortController();

  constructor(
    readonly runId: string,
    readonly workspaceId: string,
    private readonly context: RunContext,
  ) {
    this.output = new RunOutput(context.limits, context.keepConnection, context.whole);
    // A refusal must not be an unhandled rejection, even if nobody waits for the promise.
    this.admitted.promise.catch(() => undefined);
    this.ended.promise.catch(() => undefined);
  }

  get log(): Logger {
    return this.context.log;
  }

  get leaving(): AbortSignal {
    return this.context.leaving;
  }

  /** Aborts with a `StopReason` when the run must be killed. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  get stopReason(): StopReason | null {
    return this.stopped.aborted ? (this.stopped.reason as StopReason) : null;
  }

  /** Requests that the run be killed, and prints `why` in its output. Only the first reason counts. */
  stop(reason: StopReason, why?: string): void {
    if (this.stopped.aborted) return;
    if (why !== undefined) this.say(why);
    this.stopping.abort(reason);
  }

  /** Adds a line from this service to the command's stderr. */
  say(line: string): void {
    this.output.take({ stream: 'stderr', bytes: Buffer.from(`aish: ${line}\n`) });
  }

  /** Returns a controller that aborts when this service stops, unless it was aborted earlier. */
  closer(): AbortController {
    const closing = new AbortController();
    const leave = () => closing.abort();
    this.leaving.addEventListener('abort', leave, { once: true });
    closing.signal.addEventListener('abort', () => this.leaving.removeEventListener('abort', leave), { once: true });
    if (this.leaving.aborted) leave();
    return closing;
  }

  status(state: RunStatus['state'], outcome: RunOutcome | null): RunStatus {
    return { runId: this.runId, state, outcome, connections: [...this.output.connections.list()] };
  }

  end(status: RunStatus, last: RunFrame): void {
    this.output.end(last);
    this.ended.resolve(status);
  }
}
