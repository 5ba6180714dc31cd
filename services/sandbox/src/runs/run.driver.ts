import { AishError, isAishError, toProblem, type RunOutcome, type RunRequest } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { Piece } from '../engine/frame-splitter.js';
import { CANCELLED_IN_QUEUE, outcomeOf } from './outcome.js';
import type { OutcomeStore } from './outcome.store.js';
import type { Run } from './run.js';

const RETRY_MS = 1_000;
const REMOVE_WAIT_MS = 3_000;
const LAST_OUTPUT_WAIT_MS = 5_000;

/** What is open on a run's container. */
export interface Watch {
  readonly pieces: AsyncIterable<Piece>;
  readonly closing: AbortController;
  readonly timeLeftMs: number | null;
}

/**
 * Carries one run from its marker to its recorded outcome. The order is what makes it hold in a crash: marker, create,
 * start; then outcome on disk, and only then the container removed.
 */
export class RunDriver {
  constructor(
    private readonly engine: DockerEngine,
    private readonly store: OutcomeStore,
    private readonly logger: Logger,
    /** Aborted when this service goes; containers are left for its next start. */
    private readonly leaving: AbortSignal,
  ) {}

  /** Records that a run was cancelled before it began, so that it never begins. */
  async cancelQueued(run: Run): Promise<void> {
    await this.store.write(run.runId, { state: 'ended', outcome: CANCELLED_IN_QUEUE });
    this.finish(run, CANCELLED_IN_QUEUE);
  }

  /**
   * Makes and starts the container.
   * @throws AishError when nothing has begun; then nothing is left of it either.
   */
  async begin(run: Run, request: RunRequest): Promise<Watch | null> {
    await this.store.write(run.runId, { state: 'starting' });
    const closing = this.closer();
    try {
      if (!(await this.createFresh(request))) {
        this.logger.warn({ runId: run.runId }, 'the container of this run is there already: taking it over');
        return null;
      }
      const pieces = await this.engine.attach(run.runId, closing.signal);
      try {
        await this.engine.start(run.runId);
      } catch (error) {
        if (!isAishError(error, 'engine_unavailable')) throw error;
        // It may have started all the same: from here on the engine is asked, not guessed at.
        this.logger.warn({ err: error, runId: run.runId }, 'the engine went away while a run started');
        closing.abort();
        return null;
      }
      this.logger.info({ runId: run.runId, workspaceId: run.workspaceId }, 'run started');
      return { pieces, closing, timeLeftMs: request.timeoutMs };
    } catch (error) {
      closing.abort();
      await this.undo(run.runId);
      throw error;
    }
  }

  /**
   * Sees a run to its end, and records it. With `watch` null it takes over what is there, however often the engine
   * goes away meanwhile. Returns early, with the run unfinished, only when this service leaves.
   */
  async carry(run: Run, watch: Watch | null): Promise<void> {
    let current = watch;
    while (!this.leaving.aborted) {
      try {
        current ??= await this.takeOver(run);
        if (current === null) return;
        const outcome = await this.follow(run, current);
        await this.store.write(run.runId, { state: 'ended', outcome });
        await this.removeSoon(run.runId);
        this.finish(run, outcome);
        return;
      } catch (error) {
        current?.closing.abort();
        current = null;
        if (this.leaving.aborted) return;
        this.logger.warn({ err: error, runId: run.runId }, 'lost sight of a run; looking for it again');
        run.output.interrupt(
          new AishError('sandbox_interrupted', 'The sandbox lost sight of the run for a moment; ask for the run again'),
        );
        await pause(RETRY_MS, this.leaving);
      }
    }
  }

  /** Records that nobody knows how a run ended. It is never run again. */
  async lose(run: Run): Promise<void> {
    await this.store.write(run.runId, { state: 'lost' });
    this.logger.warn({ runId: run.runId }, 'run lost');
    run.end(
      { runId: run.runId, state: 'lost', outcome: null },
      { type: 'error', problem: toProblem(runLost(run.runId)) },
    );
  }

  private async createFresh(request: RunRequest): Promise<boolean> {
    const spec = { ...request, deadline: new Date(Date.now() + request.timeoutMs) };
    if (await this.engine.create(spec)) return true;
    const found = await this.engine.inspect(request.runId);
    if (found !== null && found.status !== 'created') return false;
    // Left by an answer that never arrived. It did not start, so it is no second run.
    await this.engine.remove(request.runId);
    return this.engine.create(spec);
  }

  private async takeOver(run: Run): Promise<Watch | null> {
    const found = await this.engine.inspect(run.runId);
    if (found === null || found.status === 'created') {
      await this.lose(run);
      if (found !== null) await this.removeSoon(run.runId);
      return null;
    }
    const closing = this.closer();
    const pieces = await this.engine.logs(run.runId, closing.signal);
    const timeLeftMs = found.deadline === null ? null : Math.max(0, found.deadline.getTime() - Date.now());
    this.logger.info({ runId: run.runId, status: found.status }, 'run taken over');
    return { pieces, closing, timeLeftMs: found.status === 'running' ? timeLeftMs : null };
  }

  /** Drains the output, keeps the time limit, and says how the container ended. */
  private async follow(run: Run, { pieces, closing, timeLeftMs }: Watch): Promise<RunOutcome> {
    const timer = timeLeftMs === null ? undefined : setTimeout(() => run.stop('timeout'), timeLeftMs);
    const kill = () => {
      // The output is drained all the while: a reader that pauses would make the engine hang on this very call.
      this.engine.kill(run.runId).catch((error: unknown) => {
        this.logger.warn({ err: error, runId: run.runId }, 'could not kill a run; looking for it again');
        closing.abort();
      });
    };
    try {
      const drained = this.drain(run, pieces);
      if (run.stopped.aborted) kill();
      run.stopped.addEventListener('abort', kill, { once: true });
      await this.engine.wait(run.runId, closing.signal);
      // All that was printed is in the engine by now; a stream that stays open has nothing more to say.
      await Promise.race([drained, pause(LAST_OUTPUT_WAIT_MS, closing.signal)]);
      const end = await this.engine.inspect(run.runId);
      if (end === null) throw new AishError('internal', 'The container of a run was removed by somebody else');
      return outcomeOf({ ...end, ...run.output.result(), stoppedFor: run.stopReason });
    } finally {
      clearTimeout(timer);
      run.stopped.removeEventListener('abort', kill);
      closing.abort();
    }
  }

  private async drain(run: Run, pieces: AsyncIterable<Piece>): Promise<void> {
    try {
      for await (const piece of pieces) run.output.take(piece);
    } catch (error) {
      // The wait beside this fails for the same reason and says so; without it, the output merely ends here.
      this.logger.debug({ err: error, runId: run.runId }, 'the output of a run broke off');
    }
  }

  private finish(run: Run, outcome: RunOutcome): void {
    const { output, ...rest } = outcome;
    this.logger.info({ runId: run.runId, ...rest, outputChars: output.length }, 'run ended');
    run.end({ runId: run.runId, state: 'ended', outcome }, { type: 'exit', outcome });
  }

  /** What cannot be removed now is removed by the next sweep: its outcome is on disk. */
  private async removeSoon(runId: string): Promise<void> {
    const removed = this.engine.remove(runId).catch((error: unknown) => {
      this.logger.warn({ err: error, runId }, 'could not remove the container of an ended run; the next sweep will');
    });
    await Promise.race([removed, pause(REMOVE_WAIT_MS, this.leaving)]);
  }

  private async undo(runId: string): Promise<void> {
    try {
      await this.engine.remove(runId);
    } catch (error) {
      this.logger.warn({ err: error, runId }, 'a container that never started may be left; the next sweep removes it');
    }
    await this.store.forget(runId);
  }

  private closer(): AbortController {
    const closing = new AbortController();
    const leave = () => closing.abort();
    this.leaving.addEventListener('abort', leave, { once: true });
    closing.signal.addEventListener('abort', () => this.leaving.removeEventListener('abort', leave), { once: true });
    return closing;
  }
}

export function runLost(runId: string): AishError {
  return new AishError(
    'run_lost',
    `Run ${runId} was begun, and nobody knows whether it ran or how it ended. It is not run again`,
    { runId },
  );
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
