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

/** What a run has from the service that carries it. */
export interface RunContext {
  readonly limits: OutputLimits;
  /** Says of each line whose it is: the run, and its workspace, which has the id of its session. */
  readonly log: Logger;
  /** Aborted when this service goes; containers are left for its next start. */
  readonly leaving: AbortSignal;
  readonly keepConnection: (connection: CountedConnection) => void;
  readonly whole?: WholeOutput;
}

/** A run that has not ended, as this service holds it in memory. */
export class Run {
  readonly output: RunOutput;
  /** Resolves when the run waits for its turn or has begun; rejects when it could not begin. */
  readonly admitted = settleable<void>();
  /** Resolves with the last status; rejects when the run could not begin. */
  readonly ended = settleable<RunStatus>();
  /** What its container is made of, once it has begun. */
  workplace: NewWorkplace | null = null;
  /** Whether variables were kept from it that the next command is to have again. */
  isPinned = false;
  /** Whether what it does never counts by itself, and what it then leaves to the command that keeps it. */
  isPreview = false;
  left: Session | null = null;
  /** Whether its `ssh` may ask; null where that is not known, of a run that was begun before this service was started. */
  asksHosts: boolean | null = null;
  /** The secrets from its request; empty after this service has restarted. */
  secrets: readonly RunSecret[] = [];
  /** Whether its command has secrets in clear that this service does not know after a restart. */
  hasUnknownSecrets = false;
  private readonly stopping = new AbortController();

  constructor(
    readonly runId: string,
    readonly workspaceId: string,
    private readonly context: RunContext,
  ) {
    this.output = new RunOutput(context.limits, context.keepConnection, context.whole);
    // Whether anybody waits for it or not, a refusal is no unhandled rejection.
    this.admitted.promise.catch(() => undefined);
    this.ended.promise.catch(() => undefined);
  }

  get log(): Logger {
    return this.context.log;
  }

  get leaving(): AbortSignal {
    return this.context.leaving;
  }

  /** Aborted with a `StopReason` when the run is to be killed. */
  get stopped(): AbortSignal {
    return this.stopping.signal;
  }

  get stopReason(): StopReason | null {
    return this.stopped.aborted ? (this.stopped.reason as StopReason) : null;
  }

  /** Asks for the run to be killed, and says `why` in its output. The first reason counts. */
  stop(reason: StopReason, why?: string): void {
    if (this.stopped.aborted) return;
    if (why !== undefined) this.say(why);
    this.stopping.abort(reason);
  }

  /** A line of this service's own, among what the command prints on stderr. */
  say(line: string): void {
    this.output.take({ stream: 'stderr', bytes: Buffer.from(`aish: ${line}\n`) });
  }

  /** What ends when this service goes, or before. */
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
