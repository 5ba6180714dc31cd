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
import { joinEffects, joinHeld, type InFolders } from './in-folders.js';
import type { HeldFolders } from './held.folders.js';
import type { LayerStore, Told } from './layer.store.js';
import type { Layers } from './layers.js';

const FREE_WAIT_MS = 5_000;
/** A command that ends within that holds no upload up. */
const CHANGE_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
const CONFLICTS_TOLD = 10;

/** What is known of runs, and of who uses a workspace. */
interface HoldRuns {
  readonly unmounter: WorkspaceUnmounter;
  readonly store: OutcomeStore;
  readonly workspaces: WorkspaceStore;
  readonly use: WorkspaceUse;
}

/**
 * What a command did, held until it counts. Its layer begins empty and is written down as not counting yet; when the
 * command has ended, the keeper looks what it destroyed. Nothing that was there before: it counts. Something was: the
 * workspace waits, and no other command begins there, until somebody says `keep` or `drop`.
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
   * Makes sure that what a run does can be dropped, as far as it is asked for. While something has the workspace mounted it
   * waits a moment. What nobody approved never begins unheld where it could be held at another time.
   * @param session where it begins, with a container that waits; null before its container is made.
   * @param release lets go of a container that waits and was taken, for a new layer.
   * @param leaving ends the wait.
   * @throws AishError `workspace_held` when what another run did there does not count yet; `hold_unavailable`;
   *   `engine_unavailable` while something uses what a preview left; `service_stopping`
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
    // Somebody put files there, or there is no layer yet.
    await release();
    if (await this.startWhenFree(request, hold ?? null, release, leaving)) return;
    if (leaving.aborted) throw serviceStopping();
    const isApproved = hold?.mode === 'note' && heldFolders.length === 0;
    const canNever = !must && heldFolders.length === 0 && (await this.layers.whyNone(workspaceId)) !== null;
    if (!isApproved && !canNever) throw unavailable(workspaceId);
    await this.start(request, null, null, release);
  }

  /** @returns false when its layer could not be had in time. */
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
      // Commands wait for a preview: this one was left by a crash.
      await release();
      await this.takeBack(workspaceId, started.holder).catch((error: unknown) => {
        throw inUse(workspaceId, error);
      });
      return false;
    }
    if (started.holder !== null) {
      // One that nobody carries any more has ended without anybody looking at what it did.
      const isOpen = started.waits || this.runs.store.find(started.holder)?.state === 'starting';
      const waits = isOpen || (await this.ended(workspaceId, started.holder)).held !== undefined;
      started = waits ? started : await ask();
      if (started.holder !== null) throw heldBy(workspaceId, started.holder);
    }
    if (started.full) throw undoFull(workspaceId);
    if (typeof started.untold === 'string') this.layers.untold(runId, new AishError('internal', started.untold));
    return started.began;
  }

  /** Notes that a run begins in a layer of its own, and where, so that it can be undone. */
  async began({ workspaceId, runId }: Pick<RunRequest, 'workspaceId' | 'runId'>, session: Session): Promise<void> {
    await this.layers.begin(workspaceId, runId, JSON.stringify(session));
  }

  /** A run that did not begin after all. */
  async cancel(workspaceId: string, runId: string): Promise<void> {
    if (!this.layers.isOn) return;
    await this.folders.drop(runId);
    await this.judge(workspaceId, runId);
  }

  /** What a run did, and whether that waits for a verdict. Fails where nobody can tell: then it is to be asked again. */
  async ended(workspaceId: string, runId: string): Promise<Told & Pick<RunOutcome, 'unheld'>> {
    const told = this.layers.isOn ? await this.toldOf(workspaceId, runId) : {};
    if (told.effects !== undefined) return told;
    const unheld = await this.layers.whyNone(workspaceId);
    return unheld === null ? told : { ...told, unheld };
  }

  private async toldOf(workspaceId: string, runId: string): Promise<Told> {
    const first = await this.layerStore.end(workspaceId, runId);
    const found = first.inFolders ? await this.folders.look(runId) : null;
    if (found !== null) return this.endedWith(found, await this.judge(workspaceId, runId, true), workspaceId, runId);
    const { told, untold } = first.inFolders ? await this.layerStore.end(workspaceId, runId) : first;
    if (untold !== undefined) this.layers.untold(runId, new AishError('internal', untold));
    return told;
  }

  /** All that a run did counts together: in its workspace, and in folders of the host. */
  private async endedWith(inFolders: InFolders, judged: Told, workspaceId: string, runId: string): Promise<Told> {
    const effects = joinEffects(inFolders.effects, judged.effects);
    const waits = (conflicts: readonly string[]) => ({ effects, held: joinHeld(inFolders, judged.held, conflicts) });
    if (inFolders.asks || judged.held !== undefined) return waits(inFolders.conflicts);
    const conflicts = await this.folders.carry(runId);
    if (conflicts.length > 0) return waits(conflicts);
    await this.judge(workspaceId, runId);
    return { effects };
  }

  /** Keeps where commands of a workspace began before a run that is held, for when it is dropped. */
  keepSession(workspaceId: string): void {
    this.runs.workspaces.saveBefore(workspaceId);
  }

  /**
   * Says what becomes of what a run did. Done again it changes nothing.
   * @throws AishError `locked` while something uses the workspace; `host_folder_changed` with `{ conflicts }`: nothing was
   *   kept, and it waits on.
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

  /** Undoes what a run did that does not count yet. @throws AishError `locked` */
  takeBack(workspaceId: string, runId: string): Promise<void> {
    return this.alone(workspaceId, async () => {
      this.runs.workspaces.restoreBefore(workspaceId);
      await this.layerStore.takeBack(workspaceId, runId);
    });
  }

  /**
   * Makes wait again what a run did, out of a backup: `put` writes it over the workspace.
   * @throws AishError `locked`, `hold_unavailable`: nothing was done.
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

  /** Before something else changes a workspace. @throws AishError `locked` */
  async needSettled(workspaceId: string): Promise<void> {
    if (!this.layers.isOn || (await this.layerStore.holder(workspaceId)).run === null) return;
    const why = `What a command does to workspace ${workspaceId} does not count yet: it runs, or waits for a verdict`;
    throw new AishError('locked', why, { retryAfterS: 2 });
  }

  /**
   * Lets a person change the files of a workspace between two commands, in a separate layer. Commands and other changes
   * wait until it is done.
   * @throws AishError `locked` while a command runs there, or waits for a verdict; `aborted`
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
      if (signal.aborted) throw new AishError('aborted', 'Nobody waits for this any more');
      const free = this.runs.use.hold(workspaceId);
      if (free !== null) return free;
      if (performance.now() > end) break;
    }
    const why = `A command runs in workspace ${workspaceId}, so its files were not changed. Try again when it has ended`;
    throw new AishError('locked', why, { retryAfterS: 2 });
  }

  /** Does something to the layers of a workspace that nothing uses. @throws AishError `locked`: nothing was done. */
  alone(workspaceId: string, work: () => Promise<void>): Promise<void> {
    return this.whenFree(workspaceId, () => this.layers.alone(workspaceId, work));
  }

  /** Sees to it that nothing has a workspace mounted, and that its layer on top is empty. @throws AishError `locked` */
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
    throw new AishError('locked', `Something uses workspace ${workspaceId}`, { retryAfterS: 2 });
  }

  /** Resolves when a container that is made now has a layer of its own: none of a run that has ended is there any more. */
  async freed(workspaceId: string): Promise<void> {
    if (this.layers.isOn) await this.runs.unmounter.removed(workspaceId);
  }

  private judge(workspaceId: string, runId: string, waits = false): Promise<Told> {
    return this.layerStore.judge(workspaceId, runId, waits);
  }
}

function heldBy(workspaceId: string, run: string): AishError {
  return new AishError('workspace_held', `What run ${run} did to workspace ${workspaceId} does not count yet`, { run });
}

/** Nothing has begun, and later it may. */
function inUse(workspaceId: string, cause: unknown): AishError {
  return new AishError('engine_unavailable', `Something uses workspace ${workspaceId}`, { retryAfterS: 2 }, { cause });
}

function changedMeanwhile(conflicts: readonly string[]): AishError {
  const why = `Nothing was written: changed on the host since the command began: ${conflicts.slice(0, CONFLICTS_TOLD).join(', ')}`;
  return new AishError('host_folder_changed', why, { conflicts });
}

function undoFull(workspaceId: string): AishError {
  const why = `What can be undone in workspace ${workspaceId} has no room for more (UNDO_COMMANDS, SNAPSHOTS_MAX_MB)`;
  return new AishError('hold_unavailable', why, { full: true });
}

function unavailable(workspaceId: string): AishError {
  return new AishError('hold_unavailable', `What a command does in workspace ${workspaceId} cannot be taken back now`);
}
