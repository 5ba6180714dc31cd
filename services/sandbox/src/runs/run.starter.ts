import { invariant } from '@aish/contracts/invariant';
import { isAishError } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import { ContainerStream } from '../engine/container-stream.js';
import type { NewWorkplace } from '../engine/container-spec.js';
import { diskFull } from '../engine/engine-error.js';
import { tokenInput, newToken } from '../engine/launcher.js';
import type { RunContainers } from '../engine/run.containers.js';
import { sendCommand, type WarmContainer } from '../engine/warm.containers.js';
import type { HeldFolders } from '../layers/held.folders.js';
import type { Holds } from '../layers/holds.js';
import { pause } from '../scheduling/pause.js';
import { PendingWork } from '../scheduling/workspace.work.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { Session } from '../workspaces/session.js';
import type { OutcomeStore } from './outcome.store.js';
import { serviceStopping } from './run-errors.js';
import type { Run } from './run.js';
import type { ExecutionContexts } from './execution-contexts.js';

/** The facts about a command that are known before it arrives. */
export type NextRun = Pick<RunRequest, 'workspaceId' | 'hostFolders' | 'hosts' | 'background' | 'image'>;

/** A launcher begins within milliseconds. If this time passes, something is wrong with its container. */
const BEGIN_WAIT_MS = 10_000;

/** The open streams of a run's container. */
export interface Watch {
  readonly stream: ContainerStream;
  readonly closing: AbortController;
  readonly timeLeftMs: number | null;
  /** The variables of the container before those of the command. */
  readonly env: readonly string[];
}

interface Beginning {
  readonly run: Run;
  readonly request: RunRequest;
  readonly workplace: NewWorkplace;
  readonly session: Session;
}

/**
 * Begins runs in a waiting container or in a new one. The order makes a crash safe. For a new container, the order is:
 * write the record, create, start. For a waiting container, it is: write the record, rename, send the command.
 */
export class RunStarter {
  private readonly preparing = new PendingWork();

  constructor(
    private readonly containers: RunContainers,
    private readonly pool: WarmPool,
    private readonly store: OutcomeStore,
    private readonly contexts: ExecutionContexts,
    private readonly holds: Holds,
    private readonly folders: HeldFolders,
  ) {}

  /**
   * Prepares a container for the next command of a workspace. @returns whether a container is waiting now
   * @throws AishError `mount_not_allowed`, `mount_missing`
   */
  prepare(next: NextRun): Promise<boolean> {
    return this.preparing.add(next.workspaceId, this.makeReady(next));
  }

  private async makeReady(next: NextRun): Promise<boolean> {
    await this.holds.freed(next.workspaceId);
    const workplace = await this.contexts.of(next);
    // A container with held folders cannot wait, because each command gets its own layers over them when it begins.
    return hasHeld(workplace) ? false : this.pool.prepare(workplace);
  }

  /**
   * Prepares a container after a run. If the run's folders are no longer allowed or present, the next run gets the
   * error, not this one.
   */
  async prepareAfter(run: Run, request: RunRequest): Promise<void> {
    try {
      await this.prepare(request);
    } catch (error) {
      run.log.warn({ err: error }, 'no container is made ready');
    }
  }

  /** Resolves when nobody is preparing a container for a workspace. */
  prepared(workspaceId: string): Promise<void> {
    return this.preparing.settled(workspaceId);
  }

  /**
   * Begins a run. Returns null if its container already exists and must be taken over.
   * @throws AishError if nothing has begun, and then nothing is left behind. `execution_context_changed` means that the
   * execution context is not the one that the request expects.
   */
  async begin(run: Run, request: RunRequest): Promise<Watch | null> {
    const workplace = await this.contexts.of(request);
    const session = await this.contexts.sessionFor(request);
    run.workplace = workplace;
    run.isPinned = request.pinned;
    const notice = this.contexts.whyFull(request.workspaceId);
    if (notice !== null) run.say(notice);
    try {
      if (hasHeld(workplace)) await this.pool.drop(request.workspaceId);
      const warm = hasHeld(workplace) ? null : await this.pool.take(workplace);
      const named = await this.holdAndName(run, request, { workplace, session, warm });
      const beginning = { run, request, workplace: await this.withFolders(request, workplace), session };
      const watch = named === null ? undefined : await this.give(named, beginning);
      if (watch !== undefined) run.log.info({ warm: true }, 'run started');
      else if (warm !== null) run.log.info('the container that waited had died: starting a new one');
      if (run.leaving.aborted && watch === undefined) throw serviceStopping();
      return watch === undefined ? await this.beginAnew(beginning) : watch;
    } catch (error) {
      await this.undo(run);
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(error) : error;
    }
  }

  private async withFolders(request: RunRequest, workplace: NewWorkplace): Promise<NewWorkplace> {
    if (!hasHeld(workplace)) return workplace;
    const { heldFolders = [], hostMounts = [] } = workplace;
    return { ...workplace, hostMounts: [...hostMounts, ...(await this.folders.begin(request, heldFolders))] };
  }

  /**
   * Holds the changes of a run and renames the waiting container. Both operations wait for the disk, so they run in
   * parallel.
   * @returns the container, or null if there is none or it cannot be used
   */
  private async holdAndName(
    run: Run,
    request: RunRequest,
    { workplace, session, warm }: Pick<Beginning, 'workplace' | 'session'> & { readonly warm: WarmContainer | null },
  ): Promise<WarmContainer | null> {
    let isUsable = warm !== null;
    const naming = warm === null ? Promise.resolve() : this.name(run, request, warm);
    const letGo = async () => {
      isUsable = false;
      await naming.catch(() => undefined);
      if (warm !== null) await this.letGo(run, warm);
    };
    const holding = this.holds.begin(request, workplace, warm === null ? null : session, letGo, run.leaving);
    const [held, named] = await Promise.allSettled([holding, naming]);
    if (held.status === 'rejected' || named.status === 'rejected' || named.value === false) await letGo();
    if (held.status === 'rejected') throw held.reason;
    if (named.status === 'rejected') throw named.reason;
    if (warm === null || !isUsable) return null;
    this.pool.release(warm.name);
    return warm;
  }

  /** Renames the waiting container. @returns false if the container cannot be used. */
  private async name(run: Run, request: RunRequest, { name }: WarmContainer): Promise<boolean> {
    const [recorded, renamed] = await Promise.allSettled([
      this.mark(request, name),
      this.containers.rename(name, run.runId),
    ]);
    if (recorded.status === 'rejected') throw recorded.reason;
    return renamed.status === 'fulfilled' && renamed.value;
  }

  private async letGo(run: Run, { stdin, name, id }: WarmContainer): Promise<void> {
    stdin.destroy();
    // The container is removed by its ID, because another container may have the name of the run.
    await this.removeQuietly(run, () => this.containers.removeWaiting(id));
    this.pool.release(name);
  }

  /** Sends the command. Returns undefined if the container cannot be used, in which case nothing has begun. */
  private async give(
    { stdin, stream, token }: Pick<WarmContainer, 'stdin' | 'stream' | 'token'>,
    { run, request, workplace, session }: Beginning,
  ): Promise<Watch | null | undefined> {
    const closing = run.closer();
    // stdin stays open until the command has ended and the container is removed. Closing it earlier would end the
    // container at once.
    const close = () => {
      if (stream.ending === null) stdin.destroy();
    };
    closing.signal.addEventListener('abort', close, { once: true });
    stream.take = (piece) => run.output.take(piece);
    const strict = request.expectedContextDigest !== undefined;
    const variables = [
      ...session.variables,
      ...request.secrets.map(({ name, placeholder, value, exposed }) => `${name}=${exposed ? value : placeholder}`),
    ];
    const task = { command: request.command, session: { ...session, variables }, keep: request.carryOver, strict };
    sendCommand({ stdin }, task);
    await Promise.race([stream.begun, stream.closed, pause(BEGIN_WAIT_MS, run.leaving)]);
    if (stream.hasBegun) {
      return { stream, closing, timeLeftMs: request.timeoutMs, env: this.containers.envOf(workplace) };
    }
    stream.take = () => undefined;
    closing.abort();
    try {
      if (await this.containers.hasBegun(run.runId, token)) return null;
      await this.containers.remove(run.runId);
    } catch (error) {
      // From here on only the engine knows whether the run began.
      run.log.warn({ err: error }, 'cannot tell whether a run began');
      return null;
    }
    return undefined;
  }

  private async beginAnew(beginning: Beginning): Promise<Watch | null> {
    const { run, request } = beginning;
    const token = newToken();
    await this.mark(request);
    if (!(await this.createFresh(beginning, token))) {
      run.log.warn('the container of this run is there already: taking it over');
      return null;
    }
    await this.noteBegin(beginning);
    const { stdin, pieces } = await this.containers.attach(run.runId);
    const stream = new ContainerStream(pieces, token, () => undefined);
    try {
      await this.containers.start(run.runId);
      stdin.write(tokenInput(token));
    } catch (error) {
      stdin.destroy();
      if (!isAishError(error, 'engine_unavailable')) throw error;
      // The container may have started nevertheless, so from here on only the engine knows.
      run.log.warn({ err: error }, 'the engine went away while a run started');
      return null;
    }
    const watch = await this.give({ stdin, stream, token }, beginning);
    if (watch === undefined && run.leaving.aborted) throw serviceStopping();
    invariant(watch !== undefined, 'a container that was just started takes a command');
    run.log.info({ warm: false }, 'run started');
    return watch;
  }

  private async createFresh({ request, workplace }: Beginning, token: string): Promise<boolean> {
    const { runId } = request;
    const spec = { ...workplace, runId, token, deadline: deadlineOf(request) };
    if (await this.containers.create(spec)) return true;
    const found = await this.containers.inspect(runId);
    const neverBegan =
      found === null ||
      found.status === 'created' ||
      (found.wasWarm && !(await this.containers.hasBegun(runId, found.token)));
    if (!neverBegan) return false;
    // An earlier call left this container, because its response was lost. The run did not begin, so removing the
    // container cannot cause a second run.
    await this.containers.remove(runId);
    return this.containers.create(spec);
  }

  /** Records the beginning of a run. Called when its container, and therefore its layer, exists. */
  private async noteBegin({ request, session }: Beginning): Promise<void> {
    await this.holds.began(request, session);
  }

  private mark(request: RunRequest, waiting?: string): Promise<void> {
    return this.store.write(request.runId, {
      state: 'starting',
      startedAt: new Date().toISOString(),
      deadline: deadlineOf(request).toISOString(),
      ...(request.hold?.mode === 'preview' && { isPreview: true }),
      ...(request.secrets.some(({ exposed }) => exposed) && { hasSecrets: true }),
      ...(waiting === undefined ? {} : { waiting }),
    });
  }

  private async undo(run: Run): Promise<void> {
    await this.removeQuietly(run, () => this.containers.remove(run.runId));
    await this.removeQuietly(run, () => this.holds.cancel(run.workspaceId, run.runId));
    await this.store.forget(run.runId);
  }

  private async removeQuietly(run: Run, remove: () => Promise<void>): Promise<void> {
    try {
      await remove();
    } catch (error) {
      run.log.warn({ err: error }, 'a container that never began may be left; the next sweep removes it');
    }
  }
}

function hasHeld({ heldFolders = [] }: NewWorkplace): boolean {
  return heldFolders.length > 0;
}

function deadlineOf({ timeoutMs }: RunRequest): Date {
  return new Date(Date.now() + timeoutMs);
}
