import { isAishError, type RunRequest } from '@aish/contracts';
import type { Logger } from '@aish/http';
import { ContainerStream } from '../engine/container-stream.js';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import { diskFull } from '../engine/engine-error.js';
import { newToken } from '../engine/launcher.js';
import type { WarmContainer, WarmEngine } from '../engine/warm.engine.js';
import type { WarmPool } from '../warm/warm.pool.js';
import { NEW_SESSION, type Session } from '../workspaces/session.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { OutcomeStore } from './outcome.store.js';
import { pause } from './pause.js';
import { serviceStopping } from './run-errors.js';
import type { Run } from './run.js';
import type { Surroundings } from './surroundings.js';

/** A launcher begins within milliseconds; after this long something is wrong with its container. */
const BEGIN_WAIT_MS = 10_000;

/** What is open on a run's container. */
export interface Watch {
  readonly stream: ContainerStream;
  readonly closing: AbortController;
  readonly timeLeftMs: number | null;
  /** The variables that its container has by itself. */
  readonly env: readonly string[];
}

interface Beginning {
  readonly run: Run;
  readonly request: RunRequest;
  readonly workplace: NewWorkplace;
  readonly session: Session | null;
}

/**
 * Begins runs: in the container that waits for them, or in a new one. The order is what makes it hold in a crash. New:
 * marker, create, start. Waiting: marker and name, and only then the command.
 */
export class RunStarter {
  constructor(
    private readonly engine: DockerEngine,
    private readonly containers: WarmEngine,
    private readonly pool: WarmPool,
    private readonly store: OutcomeStore,
    private readonly workspaces: WorkspaceStore,
    private readonly space: WorkspaceSpace,
    private readonly surroundings: Surroundings,
    private readonly logger: Logger,
    /** Aborted when this service goes; containers are left for its next start. */
    private readonly leaving: AbortSignal,
  ) {}

  /** What the container of this run is to be made of. @throws AishError `mount_not_allowed`, `mount_missing` */
  async workplaceOf(next: Pick<RunRequest, 'workspaceId' | 'hostFolders'>): Promise<NewWorkplace> {
    const around = await this.surroundings.of(next);
    return { workspaceId: next.workspaceId, mayWrite: this.space.mayWrite(next.workspaceId), ...around };
  }

  /**
   * Begins a run. Null when its container is there already: then it is to be taken over.
   * @throws AishError when nothing has begun; then nothing is left of it either.
   */
  async begin(run: Run, request: RunRequest): Promise<Watch | null> {
    const workplace = await this.workplaceOf(request);
    const session = request.carryOver ? this.workspaces.session(request.workspaceId) : null;
    const beginning = { run, request, workplace, session };
    run.workplace = workplace;
    const notice = this.space.whyFull(request.workspaceId);
    if (notice !== null) run.output.take({ stream: 'stderr', bytes: Buffer.from(`aish: ${notice}\n`) });
    try {
      const warm = await this.pool.take(workplace);
      const watch = warm === null ? undefined : await this.beginIn(warm, beginning);
      if (this.leaving.aborted && watch === undefined) throw serviceStopping();
      return watch === undefined ? await this.beginAnew(beginning) : watch;
    } catch (error) {
      await this.undo(run.runId);
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(error) : error;
    }
  }

  closer(): AbortController {
    const closing = new AbortController();
    const leave = () => closing.abort();
    this.leaving.addEventListener('abort', leave, { once: true });
    closing.signal.addEventListener('abort', () => this.leaving.removeEventListener('abort', leave), { once: true });
    if (this.leaving.aborted) leave();
    return closing;
  }

  /** Undefined when the waiting container is of no use, and nothing has begun. */
  private async beginIn(warm: WarmContainer, beginning: Beginning): Promise<Watch | null | undefined> {
    const { run, request, workplace, session } = beginning;
    const [recorded, renamed] = await Promise.allSettled([
      this.mark(request, warm.name),
      this.containers.rename(warm.name, run.runId),
    ]);
    if (recorded.status === 'rejected' || renamed.status === 'rejected' || !renamed.value) {
      warm.stdin.destroy();
      // By the name it had: under the name of the run there may be another one.
      await this.removeQuietly(() => this.containers.discard(warm.name), run.runId);
      this.pool.release(warm.name);
      if (recorded.status === 'rejected') throw recorded.reason;
      return undefined;
    }
    this.pool.release(warm.name);
    const { stream } = warm;
    const closing = this.closer();
    // After its end it is closed by the engine, when the container is removed: closed here, it would end at once.
    const close = () => {
      if (stream.ending === null) warm.stdin.destroy();
    };
    closing.signal.addEventListener('abort', close, { once: true });
    stream.take = (piece) => run.output.take(piece);
    this.containers.hand(warm, { command: request.command, session: session ?? NEW_SESSION, keep: session !== null });
    await Promise.race([stream.begun, stream.closed, pause(BEGIN_WAIT_MS, this.leaving)]);
    if (stream.hasBegun) {
      this.logger.info({ ...run.ids, warm: true }, 'run started');
      return { stream, closing, timeLeftMs: request.timeoutMs, env: this.containers.envOf(workplace) };
    }
    stream.take = () => undefined;
    closing.abort();
    try {
      if (await this.containers.hasBegun(run.runId, warm.token)) return null;
      await this.engine.remove(run.runId);
    } catch (error) {
      // From here on the engine is asked, not guessed at.
      this.logger.warn({ err: error, ...run.ids }, 'cannot tell whether a run began');
      return null;
    }
    this.logger.info(run.ids, 'the container that waited had died: starting a new one');
    return undefined;
  }

  private async beginAnew(beginning: Beginning): Promise<Watch | null> {
    const { run, request, workplace } = beginning;
    const token = newToken();
    await this.mark(request);
    const closing = this.closer();
    try {
      if (!(await this.createFresh(beginning, token))) {
        this.logger.warn(run.ids, 'the container of this run is there already: taking it over');
        return null;
      }
      const pieces = await this.engine.attach(run.runId, closing.signal);
      const stream = new ContainerStream(pieces, token, (piece) => run.output.take(piece));
      try {
        await this.engine.start(run.runId);
      } catch (error) {
        if (!isAishError(error, 'engine_unavailable')) throw error;
        // It may have started all the same: from here on the engine is asked, not guessed at.
        this.logger.warn({ err: error, ...run.ids }, 'the engine went away while a run started');
        closing.abort();
        return null;
      }
      this.logger.info({ ...run.ids, warm: false }, 'run started');
      return { stream, closing, timeLeftMs: request.timeoutMs, env: this.containers.envOf(workplace) };
    } catch (error) {
      closing.abort();
      throw error;
    }
  }

  private async createFresh({ request, workplace, session }: Beginning, token: string): Promise<boolean> {
    const { runId, command } = request;
    const spec = { ...workplace, runId, command, session, token, deadline: deadlineOf(request) };
    if (await this.engine.create(spec)) return true;
    const found = await this.engine.inspect(runId);
    const neverBegan =
      found === null ||
      found.status === 'created' ||
      (found.wasWarm && !(await this.containers.hasBegun(runId, found.token)));
    if (!neverBegan) return false;
    // Left by an answer that never arrived. It did not begin, so it is no second run.
    await this.engine.remove(runId);
    return this.engine.create(spec);
  }

  private mark(request: RunRequest, waiting?: string): Promise<void> {
    return this.store.write(request.runId, {
      state: 'starting',
      startedAt: new Date().toISOString(),
      deadline: deadlineOf(request).toISOString(),
      ...(waiting === undefined ? {} : { waiting }),
    });
  }

  private async undo(runId: string): Promise<void> {
    await this.removeQuietly(() => this.engine.remove(runId), runId);
    await this.store.forget(runId);
  }

  private async removeQuietly(remove: () => Promise<void>, runId: string): Promise<void> {
    try {
      await remove();
    } catch (error) {
      this.logger.warn({ err: error, runId }, 'a container that never began may be left; the next sweep removes it');
    }
  }
}

function deadlineOf({ timeoutMs }: RunRequest): Date {
  return new Date(Date.now() + timeoutMs);
}
