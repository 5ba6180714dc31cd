import type { RunOutcome } from '@aish/contracts/actions';
import type { Held } from '@aish/contracts/effects';
import type { CountedConnection } from '@aish/contracts/network';
import { AishError } from '@aish/contracts/problems';
import type { RunFrame, RunRequestInput, RunStatus, SettleHeld } from '@aish/contracts/runs';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import { Sandbox, Workspaces } from '@aish/sandbox-client';

type Frames = AsyncIterable<Exclude<RunFrame, { type: 'error' }>>;

interface Run {
  readonly command: string;
  readonly outcome: RunOutcome;
  isLost: boolean;
}

/**
 * An in-memory sandbox. `echo x` prints x, `date` prints a different value each time, and any other command prints its
 * own text. `vanish` starts and is then lost. `destroy` destroys existing files.
 */
export class FakeSandbox extends Sandbox {
  /** The commands that ran, each once however often it was requested. */
  readonly ran: string[] = [];
  /** If true, the sandbox does not answer. */
  isUnavailable = false;
  /** If true, something else uses the workspace, so changes cannot be held. */
  isInUse = false;
  /** If true, the next run starts and its stream breaks off. */
  breaksOff = false;
  /** The execution context of commands. */
  nextContext: ExecutionContext = HOME;
  /** The commands in `ran` that kept the carried variables. */
  readonly unpinned: string[] = [];
  /** The hold settings that each run requested. */
  readonly asked: NonNullable<RunRequestInput['hold']>[] = [];
  /** How the changes of commands were held. */
  readonly holds: string[] = [];
  /** The previews that runs were asked to keep. */
  readonly previews: (string | null)[] = [];
  /** The verdicts on the changes of `destroy`. */
  readonly settled: string[] = [];
  /** The run whose changes are held. */
  private holder: string | null = null;
  private readonly runs = new Map<string, Run>();

  async *run({ runId, command, pinned, expectedContextDigest, hold, preview }: RunRequestInput): Frames {
    this.requireAvailable();
    if (this.holder !== null && this.holder !== runId) {
      throw new AishError('workspace_held', 'It waits', { run: this.holder });
    }
    const cannot =
      (hold?.mode === 'must' && this.nextContext.undoable !== true) || (hold?.mode === 'may' && this.isInUse);
    if (cannot) throw new AishError('hold_unavailable', 'The changes cannot be held');
    this.holds.push(hold?.mode ?? 'none');
    if (hold !== undefined) this.asked.push(hold);
    if (expectedContextDigest !== undefined && expectedContextDigest !== this.nextContext.digest) {
      throw new AishError('execution_context_changed', 'The folder or the variables have changed');
    }
    if (pinned !== true) this.unpinned.push(command);
    this.previews.push(preview ?? null);
    const run = this.runs.get(runId) ?? this.begin(runId, command, hold);
    if (this.breaksOff) {
      this.breaksOff = false;
      throw new AishError('sandbox_interrupted', 'The stream broke off');
    }
    if (run.isLost) throw new AishError('run_lost', 'Nobody knows how it ended');
    for (const connection of CONNECTIONS) yield { type: 'network', ...connection };
    yield { type: 'output', stream: 'stdout', text: run.outcome.output };
    yield { type: 'exit', outcome: run.outcome };
    await Promise.resolve();
  }

  status(runId: string): Promise<RunStatus | null> {
    return this.answer(() => {
      const run = this.runs.get(runId);
      if (run === undefined) return null;
      const { isLost, outcome } = run;
      const connections = [...CONNECTIONS];
      return isLost
        ? { runId, state: 'lost', outcome: null, connections }
        : { runId, state: 'ended', outcome, connections };
    });
  }

  cancel(runId: string): Promise<RunOutcome | null> {
    return this.answer(() => {
      const run = this.runs.get(runId);
      return run === undefined ? null : { ...run.outcome, exitCode: null, cancelled: true };
    });
  }

  executionContext(): Promise<ExecutionContext> {
    return this.answer(() => this.nextContext);
  }

  prepare(): Promise<boolean> {
    return Promise.resolve(true);
  }

  networkPolicy = unused;
  setNetworkPolicy = unused;
  beginNetworkPolicy = unused;
  networkConnections = unused;
  describe = unused;

  settle(_workspaceId: string, runId: string, verdict: SettleHeld['verdict']): Promise<void> {
    return this.answer(() => {
      if (this.holder !== runId) return;
      this.holder = null;
      this.settled.push(verdict);
    });
  }

  private begin(runId: string, command: string, hold: RunRequestInput['hold']): Run {
    const output = command === 'date' ? `${this.ran.length}\n` : `${command.replace(/^echo /, '')}\n`;
    const run: Run = { command, outcome: { ...OUTCOME, exitCode: 0, output }, isLost: false };
    const isApproved = hold?.mode === 'note';
    if (isApproved ? command.endsWith('destroy beyond') : command.startsWith('destroy')) {
      run.outcome.held = destroyed(isApproved, hold?.refusals ?? []);
      this.holder = runId;
    }
    run.isLost = command.startsWith('vanish');
    this.runs.set(runId, run);
    this.ran.push(command);
    return run;
  }

  private requireAvailable(): void {
    if (this.isUnavailable) throw new AishError('sandbox_unreachable', 'The sandbox is away');
  }

  private async answer<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    this.requireAvailable();
    return answer();
  }
}

/** Workspaces that only make snapshots. */
export class NoWorkspaces extends Workspaces {
  snapshot(_workspaceId: string, actionId: string) {
    return Promise.resolve({ actionId, sizeBytes: 7, createdAt: new Date(0).toISOString() });
  }
  list = unused;
  read = unused;
  write = unused;
  backup = unused;
  putBack = unused;
  putBackHeld = unused;
  preview = unused;
  snapshots = unused;
  changes = unused;
  output = unused;
  previewUndo = unused;
  restore = unused;
  remove = unused;
}

export const CONNECTIONS: readonly CountedConnection[] = [
  { host: 'example.org', port: 443, allowed: false, reason: 'no rule allows it', count: 1 },
];

export const DESTROYED: Held = {
  verdict: 'waiting',
  deleted: { files: 1, bytes: 9 },
  overwritten: { files: 0, bytes: 0 },
  own: null,
};

function destroyed(approved: boolean, refusals: NonNullable<NonNullable<RunRequestInput['hold']>['refusals']>): Held {
  const path = 'logs/a.log';
  const refused = refusals.map(({ step, words }) => ({ step, words, paths: [path] }));
  return { ...DESTROYED, items: [{ path, how: 'deleted', why: 'deleted' }], refused, approved };
}

/** The execution context of a session's first command. */
export const HOME: ExecutionContext = { folder: '/workspace', variables: [], digest: '0'.repeat(64) };

const OUTCOME = {
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  omittedBytes: 0,
} as const;

function unused(): Promise<never> {
  return Promise.reject(new AishError('internal', 'No runner asks for this'));
}
