import type { RunOutcome } from '@aish/contracts/actions';
import { AishError, toProblem } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import { ContainerStream } from '../engine/container-stream.js';
import type { Ending } from '../engine/output-marks.js';
import type { RunContainers } from '../engine/run.containers.js';
import type { Holds } from '../layers/holds.js';
import { pause } from '../scheduling/pause.js';
import type { ContainerRemovals } from './container.removals.js';
import { CANCELLED_IN_QUEUE, endOf, outcomeOf } from './outcome.js';
import type { OutcomeStore } from './outcome.store.js';
import { runLost } from './run-errors.js';
import type { Watch } from './run.starter.js';
import type { Run } from './run.js';
import type { ExecutionContexts } from './execution-contexts.js';

const RETRY_MS = 1_000;
const REMOVE_WAIT_MS = 3_000;
const LAST_OUTPUT_WAIT_MS = 5_000;

/** Most commands end within this time. Only for longer ones is the engine asked to wait for the end. */
const WAIT_AFTER_MS = 250;
/** A higher exit code stands for a signal, and only the engine knows whether memory ran out. */
const EXIT_CODE_MAX = 128;

/** The end of a container, as reported by its launcher or by the engine. */
interface End {
  readonly outcome: RunOutcome;
  readonly ending: Ending | null;
  readonly isDead: boolean;
}

/**
 * Follows one run from its beginning to its recorded outcome. The order makes a crash safe: the outcome goes to disk
 * before the container is removed.
 */
export class RunFollower {
  constructor(
    private readonly containers: RunContainers,
    private readonly store: OutcomeStore,
    private readonly contexts: ExecutionContexts,
    private readonly removals: ContainerRemovals,
    private readonly holds: Holds,
  ) {}

  /** Records that a run was cancelled before it began. The run will never begin. */
  async cancelQueued(run: Run): Promise<void> {
    await this.store.write(run.runId, { state: 'ended', outcome: CANCELLED_IN_QUEUE });
    this.finish(run, CANCELLED_IN_QUEUE);
  }

  /** Follows a run that began before this service started. */
  async carryOn(run: Run): Promise<void> {
    run.output.connections.restore(this.store.connectionsOf(run.runId));
    if (this.marked(run.runId)?.hasSecrets === true) {
      run.hasUnknownSecrets = true;
      run.output.withhold();
    }
    await this.carry(run, null);
  }

  /**
   * Follows a run to its end, and records the outcome. With `watch` null it takes over a running container, even if the
   * engine disappears several times. Returns early, with the run unfinished, only when this service stops.
   */
  async carry(run: Run, watch: Watch | null): Promise<void> {
    let current = watch;
    while (!run.leaving.aborted) {
      try {
        current ??= await this.takeOver(run);
        if (current === null) return;
        const { outcome: end, ending, isDead } = await this.follow(run, current);
        // Every process of the command is dead, so nothing writes to its layer any more.
        const outcome = { ...end, ...(await this.holds.ended(run.workspaceId, run.runId)) };
        const connections = [...run.output.connections.list()];
        await this.store.write(run.runId, { state: 'ended', outcome, ...(connections.length > 0 && { connections }) });
        if (outcome.held !== undefined) this.holds.keepSession(run.workspaceId);
        const left = ending?.session ? this.contexts.leftBy(run, ending.session, current.env) : null;
        if (run.isPreview) run.left = left;
        else if (left !== null) this.contexts.handOn(run, left);
        const removal = this.removals.begin(run.workspaceId, run.runId);
        // A launcher that reported the end has killed everything else in its container, so nobody needs to wait for the
        // removal.
        if (isDead) await Promise.race([removal, pause(REMOVE_WAIT_MS, run.leaving)]);
        this.finish(run, outcome);
        return;
      } catch (error) {
        current?.closing.abort();
        current = null;
        if (run.leaving.aborted) return;
        run.log.warn({ err: error }, 'lost sight of a run; looking for it again');
        run.output.interrupt(
          new AishError('sandbox_interrupted', 'The sandbox briefly lost the run. Ask for it again'),
        );
        await pause(RETRY_MS, run.leaving);
      }
    }
  }

  /** Ends a run that adopts the changes of its preview. */
  finishKept(run: Run, outcome: RunOutcome): void {
    if (outcome.output !== '') run.output.take({ stream: 'stdout', bytes: Buffer.from(outcome.output) });
    this.finish(run, outcome);
  }

  /** Records that nobody knows how a run ended. The run will never run again. */
  async lose(run: Run): Promise<void> {
    await this.store.write(run.runId, { state: 'lost', connections: [...run.output.connections.list()] });
    run.log.warn('run lost');
    run.end(run.status('lost', null), { type: 'error', problem: toProblem(runLost(run.runId)) });
  }

  private async takeOver(run: Run): Promise<Watch | null> {
    const found = await this.containers.inspect(run.runId);
    const hasBegun =
      found !== null &&
      found.status !== 'created' &&
      (!found.wasWarm || (await this.containers.hasBegun(run.runId, found.token)));
    if (!hasBegun) {
      await this.lose(run);
      if (found !== null) await this.removals.begin(run.workspaceId, run.runId);
      return null;
    }
    const closing = run.closer();
    const pieces = await this.containers.logs(run.runId, closing.signal);
    const stream = new ContainerStream(pieces, found.token, (piece) => run.output.take(piece));
    const deadline = this.marked(run.runId)?.deadline ?? found.deadline;
    const timeLeftMs = deadline === null ? null : Math.max(0, new Date(deadline).getTime() - Date.now());
    run.log.info({ status: found.status }, 'run taken over');
    return { stream, closing, timeLeftMs: found.status === 'running' ? timeLeftMs : null, env: found.env };
  }

  /** Enforces the time limit, and returns how the container ended. */
  private async follow(run: Run, { stream, closing, timeLeftMs }: Watch): Promise<End> {
    const timer = timeLeftMs === null ? undefined : setTimeout(() => run.stop('timeout'), timeLeftMs);
    const kill = () => {
      // The output is still read during this call, because a paused reader would block the engine.
      this.containers.kill(run.runId).catch((error: unknown) => {
        run.log.warn({ err: error }, 'could not kill a run; looking for it again');
        closing.abort();
      });
    };
    try {
      if (run.stopped.aborted) kill();
      run.stopped.addEventListener('abort', kill, { once: true });
      const ending = await this.ordinaryEnd(run, stream, closing.signal);
      if (ending !== null) {
        const outcome = outcomeOf({ ...ending, oomKilled: false, ...run.output.result(), stoppedFor: run.stopReason });
        return { outcome, ending, isDead: false };
      }
      // The engine has received all output by now, so a stream that stays open adds nothing.
      await Promise.race([stream.closed, pause(LAST_OUTPUT_WAIT_MS, closing.signal)]);
      const end = await this.containers.inspect(run.runId);
      if (end === null) throw new AishError('internal', 'Something else removed the container of this run');
      const startedAt = end.wasWarm ? this.marked(run.runId)?.startedAt : undefined;
      const durationMs =
        stream.ending?.durationMs ??
        (startedAt === undefined ? end.durationMs : Math.max(0, end.endedAt.getTime() - Date.parse(startedAt)));
      const outcome = outcomeOf({ ...end, durationMs, ...run.output.result(), stoppedFor: run.stopReason });
      return { outcome, ending: stream.ending, isDead: true };
    } finally {
      clearTimeout(timer);
      run.stopped.removeEventListener('abort', kill);
      closing.abort();
    }
  }

  /** Returns the launcher's report of a normal end, or null if the container is dead and the engine must be asked. */
  private async ordinaryEnd(run: Run, stream: ContainerStream, closing: AbortSignal): Promise<Ending | null> {
    const ordinary = (ending: Ending | null) => (ending !== null && ending.exitCode <= EXIT_CODE_MAX ? ending : null);
    await Promise.race([stream.ended, stream.closed, pause(WAIT_AFTER_MS, closing)]);
    if (ordinary(stream.ending) !== null) return stream.ending;
    const dead = this.containers.wait(run.runId, closing).then(() => null);
    // The promise rejects when the stream is closed. A caller that still waits for it gets the error nevertheless.
    dead.catch(() => undefined);
    const reported = stream.ended.then((ending) => ordinary(ending) ?? dead);
    return ordinary(await Promise.race([reported, dead]));
  }

  private marked(runId: string) {
    const record = this.store.find(runId);
    return record?.state === 'starting' ? record : null;
  }

  private finish(run: Run, outcome: RunOutcome): void {
    const { output, ...rest } = outcome;
    measured.command.record(outcome.durationMs / 1000, { outcome: endOf(outcome) });
    run.log.info({ ...rest, outputChars: output.length }, 'run ended');
    run.end(run.status('ended', outcome), { type: 'exit', outcome });
  }
}
