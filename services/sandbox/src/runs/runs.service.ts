import { COMMAND_MAX_CHARS } from '@aish/contracts/limits';
import { AishError, toProblem } from '@aish/contracts/problems';
import type { RunFrame, RunRequest, RunStatus } from '@aish/contracts/runs';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { HostFolders } from '../host-folders/host-folders.js';
import { frameOf } from '../network/connection-log.js';
import type { LiveRuns } from './live-runs.js';
import type { OutcomeStore, RunRecord } from './outcome.store.js';
import { runLost, serviceStopping } from './run-errors.js';
import type { RunSweeper } from './run.sweeper.js';
import type { Run } from './run.js';

const CANCEL_WAIT_MS = 8_000;

/** Yields the frames of a run, from the kept output to its end, until the signal aborts. */
export type Frames = (until: AbortSignal) => AsyncIterable<RunFrame>;

export class RunsService implements BeforeApplicationShutdown {
  constructor(
    private readonly live: LiveRuns,
    private readonly store: OutcomeStore,
    private readonly sweeper: RunSweeper,
    private readonly hostFolders: HostFolders,
  ) {}

  /**
   * Runs a command once for each run ID. A known ID attaches to that run, or to its recorded outcome.
   * @throws AishError `command_too_long`, `invalid_body`, `mount_not_allowed`, `mount_missing`, `too_many`,
   *   `engine_unavailable`, `image_missing`, `runtime_missing`, `disk_full`, `service_stopping` if nothing has begun.
   *   `sandbox_interrupted` means that the run began earlier, and the engine does not respond.
   */
  async open(request: RunRequest): Promise<Frames> {
    checkCommand(request.command);
    await this.sweeper.recovered();
    if (this.live.isLeaving) throw serviceStopping();
    // There is no await from here to `add`, so that two requests for one ID never make two runs.
    const known = this.live.get(request.runId);
    const record = known === undefined ? this.store.find(request.runId) : null;
    if (record !== null) return recordedFrames(request.runId, record);
    // A known run was checked already, and the settings may have changed since.
    if (known === undefined) this.hostFolders.check(request.hostFolders);
    return this.listen(known ?? this.live.add(request));
  }

  /**
   * Returns the status of a run.
   * @throws AishError `not_found`, `engine_unavailable`, `sandbox_interrupted`
   */
  async status(runId: string): Promise<RunStatus> {
    await this.sweeper.recovered();
    const run = this.live.get(runId);
    if (run !== undefined) return run.status('running', null);
    const record = this.store.find(runId);
    if (record !== null) return recordedStatus(runId, record);
    // There may be a container that only the engine knows about.
    await this.sweeper.needRecovered();
    throw new AishError('not_found', `There is no run ${runId}`);
  }

  /**
   * Kills a run or removes it from the queue, and returns how it ended. A run that has already ended stays as it is.
   */
  async cancel(runId: string): Promise<RunStatus> {
    await this.sweeper.recovered();
    const run = this.live.get(runId);
    if (run === undefined) return this.status(runId);
    run.stop('cancel');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<RunStatus>((resolve) => {
      timer = setTimeout(() => resolve(run.status('running', null)), CANCEL_WAIT_MS);
    });
    return Promise.race([run.ended.promise, late]).finally(() => clearTimeout(timer));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.live.leave();
  }

  private async listen(run: Run): Promise<Frames> {
    const queue = run.output.listen();
    try {
      await run.admitted.promise;
    } catch (error) {
      run.output.leave(queue);
      throw error;
    }
    return async function* (until) {
      try {
        yield* queue.read(until);
      } finally {
        run.output.leave(queue);
      }
    };
  }
}

/** @throws AishError `command_too_long`, `invalid_body` */
export function checkCommand(command: string): void {
  if (command.length > COMMAND_MAX_CHARS) {
    throw new AishError(
      'command_too_long',
      `The command has ${command.length} characters, but at most ${COMMAND_MAX_CHARS} are allowed. Write a script into the workspace instead`,
      { maxChars: COMMAND_MAX_CHARS },
    );
  }
  if (command.includes('\0')) {
    const message = 'must not contain a NUL character, because no program accepts one';
    throw new AishError('invalid_body', `In the body: command: ${message}`, { errors: [{ path: 'command', message }] });
  }
}

function recordedStatus(runId: string, record: RunRecord): RunStatus {
  if (record.state === 'starting') throw unclear(runId);
  const { state, connections = [] } = record;
  return { runId, state, outcome: record.state === 'ended' ? record.outcome : null, connections };
}

function recordedFrames(runId: string, record: RunRecord): Frames {
  if (record.state === 'starting') throw unclear(runId);
  return async function* () {
    if (record.state === 'lost') {
      yield { type: 'error', problem: toProblem(runLost(runId)) };
      return;
    }
    const { outcome, connections = [] } = record;
    if (outcome.output !== '') yield { type: 'output', stream: 'stdout', text: outcome.output };
    for (const connection of connections) yield frameOf(connection);
    yield { type: 'exit', outcome };
  };
}

function unclear(runId: string): AishError {
  return new AishError(
    'sandbox_interrupted',
    `Run ${runId} was started. Its outcome is unknown until the Docker engine responds`,
    { retryAfterS: 2 },
  );
}
