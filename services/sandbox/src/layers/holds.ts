import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Hold, RunRequest, SettleHeld } from '@aish/contracts/runs';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { OutcomeStore } from '../runs/outcome.store.js';
import type { WorkspaceUnmounter } from '../runs/workspace.unmounter.js';
import { NEW_SESSION, type Session } from '../workspaces/session.js';
import { serviceStopping } from '../runs/run-errors.js';
import { pause } from '../scheduling/pause.js';
import { Turns } from '../scheduling/workspace.work.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import { joinEffects, joinHeld, type FolderChanges } from './folder-changes.js';
import type { HeldFolders } from './held.folders.js';
import type { LayerStore, RunChanges } from './layer.store.js';
import type { Layers } from './layers.js';

const FREE_WAIT_MS = 5_000;
/** An upload waits this long for a running command before it fails. */
const CHANGE_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
const CONFLICTS_TOLD = 10;

/** The runs that `Holds` needs to know about, and the use of workspaces. */
interface HoldRuns {
  readonly unmounter: WorkspaceUnmounter;
  readonly store: OutcomeStore;
  readonly workspaces: WorkspaceStore;
  readonly use: WorkspaceUse;
}

/**
 * Holds the changes of commands until they count. The layer of a command is empty at first and marked as not counting
 * yet. When the command has ended, the keeper checks which files it destroyed. If all of them were created by the
 * command's own goal or chat, the layer counts. Otherwise the workspace waits, and no other command begins there until
 * someone answers `keep` or `drop`.
 */
export class Holds {
  private readonly changing = new Turns();

  constructor(
    private readonly layerStore: LayerStore,
    private readonly layers: Layers,
    private readonly folders: HeldFolders,
    private readonly runs: HoldRuns,
  ) {}

  /**
   * Makes sure that the changes of a run can be dropped, as far as the request demands it. The call waits briefly while
   * something has the workspace mounted. A command that nobody approved never begins unheld if it could be held at
   * another time.
   * @param session the session with which the run begins, if a container is waiting; null before its container is
   * created.
   * @param release discards a waiting container, to get a new layer.
   * @param leaving ends the wait.
   * @throws AishError `workspace_held` if changes of another run wait there; `hold_unavailable`; `engine_unavailable`
   * while something uses the layer that a preview left behind; `service_stopping`
   */
  async begin(
    request: RunRequest,
    workplace: NewWorkplace,
    session: Session | null,
    release: () => Promise<void>,
    leaving: AbortSignal,
  ): Promise<void> {
    const { workspaceId } = request;
    const { network, hosts = null, hostMounts = [], heldFolders = [] } = workplace;
    const hold = request.hold ?? (heldFolders.length > 0 ? ({ origin: workspaceId, mode: 'may' } as const) : undefined);
    const reachesMore = network !== null || hosts !== null || hostMounts.some(({ ReadOnly }) => ReadOnly !== true);
    const isOn = await this.layers.works();
    const must = hold?.mode === 'must' || hold?.mode === 'preview';
    if (must && (!isOn || reachesMore)) throw unavailable(workspaceId);
    if (!isOn) return;
    if (await this.start(request, hold ?? null, session, release)) return;
    // Someone has uploaded files, or there is no layer yet.
    await release();
    if (await this.startWhenFree(request, hold ?? null, release, leaving)) return;
    if (leaving.aborted) throw serviceStopping();
    const isApproved = hold?.mode === 'note' && heldFolders.length === 0;
    const canNever = !must && heldFolders.length === 0 && (await this.layers.whyNone(workspaceId)) !== null;
    if (!isApproved && !canNever) throw unavailable(workspaceId);
    await this.start(request, null, null, release);
  }

  /** @returns false if no layer was available in time. */
  private async startWhenFree(
    request: RunRequest,
    hold: Hold | null,
    release: () => Promise<void>,
    leaving: AbortSignal,
  ): Promise<boolean> {
    const { workspaceId } = request;
    const open = this.runs.unmounter.shutFor(workspaceId);
    try {
      for (let isSwept = false, end = performance.now() + FREE_WAIT_MS; ;) {
        await this.runs.unmounter.vacated(workspaceId);
        const isFree = await this.layers.refresh(workspaceId);
        if (await this.start(request, hold, null, release)) return true;
        if (performance.now() > end || leaving.aborted) return false;
        if (!isFree && !isSwept) {
          if ((await this.layers.whyNone(workspaceId)) !== null) return false;
          await this.runs.unmounter.swept(workspaceId);
          isSwept = true;
        } else await pause(LOOK_EVERY_MS, leaving);
      }
    } finally {
      open();
    }
  }

  private async start(
    { workspaceId, runId }: Pick<RunRequest, 'workspaceId' | 'runId'>,
    hold: Hold | null,
    session: Session | null,
    release: () => Promise<void>,
  ): Promise<boolean> {
    const ask = () => this.layerStore.start(workspaceId, runId, hold, session && JSON.stringify(session));
    let started = await ask();
    if (started.holder !== null && started.preview) {
      // Commands wait for running previews, so a crash must have left this preview behind.
      await release();
      await this.takeBack(workspaceId, started.holder).catch((error: unknown) => {
        throw inUse(workspaceId, error);
      });
      return false;
    }
    if (started.holder !== null) {
      // If no process follows the run any more, the run has ended, and nobody has judged its changes.
      const isOpen = started.waits || this.runs.store.find(started.holder)?.state === 'starting';
      const waits = isOpen || (await this.ended(workspaceId, started.holder)).held !== undefined;
      started = waits ? started : await ask();
      if (started.holder !== null) throw heldBy(workspaceId, started.holder);
    }
    if (started.full) throw undoFull(workspaceId);
    if (typeof started.unreported === 'string')
      this.layers.logUnreported(runId, new AishError('internal', started.unreported));
    return started.began;
  }

  /** Records that a run begins in its own layer, and stores its session, so that the run can be undone. */
  async began({ workspaceId, runId }: Pick<RunRequest, 'workspaceId' | 'runId'>, session: Session): Promise<void> {
    await this.layers.begin(workspaceId, runId, JSON.stringify(session));
  }

  /** Cancels the preparation for a run that did not begin. */
  async cancel(workspaceId: string, runId: string): Promise<void> {
    if (!this.layers.isOn) return;
    await this.folders.drop(runId);
    await this.judge(workspaceId, runId);
  }

  /**
   * Returns the effects of a run, and whether they wait for a verdict. If that cannot be determined now, the call
   * fails, and the caller retries.
   */
  async ended(workspaceId: string, runId: string): Promise<RunChanges & Pick<RunOutcome, 'unheld'>> {
    const changes = this.layers.isOn ? await this.readChanges(workspaceId, runId) : {};
    if (changes.effects !== undefined) return changes;
    const unheld = await this.layers.whyNone(workspaceId);
    return unheld === null ? changes : { ...changes, unheld };
  }

  private async readChanges(workspaceId: string, runId: string): Promise<RunChanges> {
    const first = await this.layerStore.end(workspaceId, runId);
    const found = first.inFolders ? await this.folders.look(runId) : null;
    if (found !== null) return this.endedWith(found, await this.judge(workspaceId, runId, true), workspaceId, runId);
    const { changes, unreported } = first.inFolders ? await this.layerStore.end(workspaceId, runId) : first;
    if (unreported !== undefined) this.layers.logUnreported(runId, new AishError('internal', unreported));
    return changes;
  }

  /** Judges all changes of a run together, those in its workspace and those in host folders. */
  private async endedWith(
    inFolders: FolderChanges,
    judged: RunChanges,
    workspaceId: string,
    runId: string,
  ): Promise<RunChanges> {
    const effects = joinEffects(inFolders.effects, judged.effects);
    const waits = (conflicts: readonly string[]) => ({ effects, held: joinHeld(inFolders, judged.held, conflicts) });
    if (inFolders.asks || judged.held !== undefined) return waits(inFolders.conflicts);
    const conflicts = await this.folders.carry(runId);
    if (conflicts.length > 0) return waits(conflicts);
    await this.judge(workspaceId, runId);
    return { effects };
  }

  /** Stores the session that a workspace returns to if a held run is dropped. */
  keepSession(workspaceId: string): void {
    this.runs.workspaces.saveBefore(workspaceId);
  }

  /**
   * Keeps or drops the changes of a run. A repeated call changes nothing.
   * @throws AishError `locked` while something uses the workspace; `host_folder_changed` with `{ conflicts }`, in which
   * case nothing was kept and the run still waits
   */
  async settle(workspaceId: string, runId: string, { verdict }: SettleHeld): Promise<void> {
    if (!this.layers.isOn || (await this.layerStore.holder(workspaceId)).run !== runId) return;
    if (verdict === 'keep') {
      const conflicts = await this.folders.carry(runId);
      if (conflicts.length > 0) throw changedMeanwhile(conflicts);
      this.runs.workspaces.forgetBefore(workspaceId);
      return this.layerStore.keep(workspaceId, runId);
    }
    await this.folders.drop(runId);
    await this.takeBack(workspaceId, runId);
  }

  /** Drops the changes of a run that do not count yet. @throws AishError `locked` while something uses the workspace */
  takeBack(workspaceId: string, runId: string): Promise<void> {
    return this.alone(workspaceId, async () => {
      this.runs.workspaces.restoreBefore(workspaceId);
      await this.layerStore.takeBack(workspaceId, runId);
    });
  }

  /**
   * Restores held changes from a backup, so that they wait for a verdict again. `put` writes them over the workspace.
   * @throws AishError `locked` or `hold_unavailable`, in which case nothing was done
   */
  async putBack(
    workspaceId: string,
    { runId, origin }: { readonly runId: string; readonly origin: string },
    put: () => Promise<void>,
  ): Promise<void> {
    if (!(await this.layers.works())) throw unavailable(workspaceId);
    await this.needSettled(workspaceId);
    await this.renew(workspaceId);
    const hold = { origin, mode: 'may' } as const;
    const { began } = await this.layerStore.start(workspaceId, runId, hold, JSON.stringify(NEW_SESSION));
    if (!began) throw unavailable(workspaceId);
    try {
      await put();
      await this.judge(workspaceId, runId, true);
    } catch (error) {
      await this.takeBack(workspaceId, runId);
      throw error;
    }
  }

  /**
   * Must be called before anything else changes a workspace. @throws AishError `locked` if changes wait for a verdict
   */
  async needSettled(workspaceId: string): Promise<void> {
    if (!this.layers.isOn || (await this.layerStore.holder(workspaceId)).run === null) return;
    const why = `Changes in workspace ${workspaceId} are held: a command is running or waiting for a verdict`;
    throw new AishError('locked', why, { retryAfterS: 2 });
  }

  /**
   * Lets a person change files of a workspace between two commands, in a separate layer. Commands and other changes
   * wait until the work is done.
   * @throws AishError `locked` while a command runs there or waits for a verdict; `aborted`
   */
  change<T>(workspaceId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.changing.take(workspaceId, async () => {
      if (!(await this.layers.works())) return work();
      const free = await this.betweenCommands(workspaceId, signal);
      try {
        await this.needSettled(workspaceId);
        if ((await this.layers.whyNone(workspaceId)) === null) await this.renew(workspaceId);
        return await work();
      } finally {
        free();
      }
    });
  }

  private async betweenCommands(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    for (const end = performance.now() + CHANGE_WAIT_MS; ; await pause(LOOK_EVERY_MS, signal)) {
      if (signal.aborted) throw new AishError('aborted', 'The request was closed');
      const free = this.runs.use.hold(workspaceId);
      if (free !== null) return free;
      if (performance.now() > end) break;
    }
    const why = `A command is running in workspace ${workspaceId}, so its files were not changed. Try again when it has ended`;
    throw new AishError('locked', why, { retryAfterS: 2 });
  }

  /**
   * Works on the layers of a workspace while nothing uses it. @throws AishError `locked`, in which case nothing was
   * done
   */
  alone(workspaceId: string, work: () => Promise<void>): Promise<void> {
    return this.whenFree(workspaceId, () => this.layers.alone(workspaceId, work));
  }

  /** Makes sure that nothing has the workspace mounted, and that its top layer is empty. @throws AishError `locked` */
  renew(workspaceId: string): Promise<void> {
    return this.whenFree(workspaceId, () => this.layers.refresh(workspaceId));
  }

  private async whenFree(workspaceId: string, attempt: () => Promise<boolean>): Promise<void> {
    const open = this.runs.unmounter.shutFor(workspaceId);
    let isSwept = false;
    try {
      for (const end = performance.now() + FREE_WAIT_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
        await this.runs.unmounter.vacated(workspaceId);
        if (await attempt()) return;
        if (!isSwept) await this.runs.unmounter.swept(workspaceId);
        isSwept = true;
      }
    } finally {
      open();
    }
    throw new AishError('locked', `Something else is using workspace ${workspaceId}. Try again in a moment`, {
      retryAfterS: 2,
    });
  }

  /** Resolves when no container of an ended run is left, so that a new container would get its own layer. */
  async freed(workspaceId: string): Promise<void> {
    if (this.layers.isOn) await this.runs.unmounter.removed(workspaceId);
  }

  private judge(workspaceId: string, runId: string, waits = false): Promise<RunChanges> {
    return this.layerStore.judge(workspaceId, runId, waits);
  }
}

function heldBy(workspaceId: string, run: string): AishError {
  return new AishError('workspace_held', `The changes of run ${run} to workspace ${workspaceId} are still held`, {
    run,
  });
}

/** Returns the error for a workspace in use. Nothing has begun, and a retry may succeed. */
function inUse(workspaceId: string, cause: unknown): AishError {
  return new AishError(
    'engine_unavailable',
    `Something else is using workspace ${workspaceId}. Try again in a moment`,
    { retryAfterS: 2 },
    { cause },
  );
}

function changedMeanwhile(conflicts: readonly string[]): AishError {
  const why = `Nothing was written, because these files have changed on the host since the command began: ${conflicts.slice(0, CONFLICTS_TOLD).join(', ')}`;
  return new AishError('host_folder_changed', why, { conflicts });
}

function undoFull(workspaceId: string): AishError {
  const why = `The space for undo in workspace ${workspaceId} is used up (UNDO_COMMANDS, SNAPSHOTS_MAX_MB)`;
  return new AishError('hold_unavailable', why, { full: true });
}

function unavailable(workspaceId: string): AishError {
  return new AishError('hold_unavailable', `Changes in workspace ${workspaceId} cannot be undone now`);
}
