import { setTimeout as sleep } from 'node:timers/promises';
import type { RunOutcome } from '@aish/contracts/actions';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type { RunRequest, SettleHeld } from '@aish/contracts/runs';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { ContainerRemovals } from '../runs/container.removals.js';
import type { OutcomeStore } from '../runs/outcome.store.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { Session } from '../workspaces/session.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import { joinEffects, joinHeld, type InFolders } from './in-folders.js';
import type { HeldFolders } from './held.folders.js';
import type { Keeper } from './keeper.js';
import type { Layers } from './layers.js';

const MIB = 2 ** 20;
const FREE_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
const CONFLICTS_TOLD = 10;

/**
 * What a command did, held until it counts. Its layer begins empty and is written down as not counting yet; when the
 * command has ended, the keeper looks what it destroyed. Nothing that was there before: it counts. Something was: the
 * workspace waits, and no other command begins there, until somebody says `keep` or `drop`.
 */
export class Holds {
  constructor(
    private readonly keeper: Keeper,
    private readonly layers: Layers,
    private readonly pool: WarmPool,
    private readonly removals: ContainerRemovals,
    private readonly store: OutcomeStore,
    private readonly workspaces: WorkspaceStore,
    private readonly folders: HeldFolders,
    private readonly config: SandboxConfig,
  ) {}

  /** @throws AishError `workspace_held` when what another run did there does not count yet. */
  async needFree({ workspaceId, runId }: Pick<RunRequest, 'workspaceId' | 'runId'>): Promise<void> {
    if (!(await this.layers.works())) return;
    const { run, waits } = await this.keeper.holder(workspaceId);
    if (run === null || run === runId) return;
    // One that nobody carries any more has ended without anybody looking at what it did.
    const isOpen = waits || this.store.find(run)?.state === 'starting';
    if (isOpen || (await this.ended(workspaceId, run)).held !== undefined) throw heldBy(workspaceId, run);
  }

  /**
   * Makes sure that what a run does can be dropped, as far as it is asked for.
   * @param release lets go of a container that waits and was taken, for a new layer.
   * @throws AishError `hold_unavailable`
   */
  async begin(request: RunRequest, workplace: NewWorkplace, release: () => Promise<void>): Promise<void> {
    const { workspaceId, runId } = request;
    const { network, hosts = null, hostMounts = [], heldFolders = [] } = workplace;
    const hold = request.hold ?? (heldFolders.length > 0 ? ({ origin: workspaceId, mode: 'may' } as const) : undefined);
    const reachesMore = network !== null || hosts !== null || hostMounts.some(({ ReadOnly }) => ReadOnly !== true);
    if (hold?.mode === 'must' && (!this.layers.isOn || reachesMore)) throw unavailable(workspaceId);
    const mustHold = hold?.mode === 'must' || heldFolders.length > 0;
    if (hold === undefined || !this.layers.isOn) return this.layers.mark(workspaceId, runId);
    const judged = hold.mode !== 'note';
    if (await this.keeper.hold(workspaceId, runId, hold.origin, judged)) return;
    // Somebody put files there, or there is no layer yet.
    await release();
    await this.settled(workspaceId);
    await this.layers.refresh(workspaceId);
    if (await this.keeper.hold(workspaceId, runId, hold.origin, judged)) return;
    if (mustHold) throw unavailable(workspaceId);
    await this.layers.mark(workspaceId, runId);
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
  async ended(workspaceId: string, runId: string): Promise<Pick<RunOutcome, 'effects' | 'held'>> {
    if (!this.layers.isOn) return {};
    const inFolders = await this.folders.look(runId);
    const judged = await this.judge(workspaceId, runId, inFolders !== null);
    if (inFolders !== null) return this.endedWith(inFolders, judged, workspaceId, runId);
    if (judged.effects !== undefined) return judged;
    const effects = await this.layers.effects(workspaceId, runId);
    return effects === undefined ? {} : { effects };
  }

  /** All that a run did counts together: in its workspace, and in folders of the host. */
  private async endedWith(
    inFolders: InFolders,
    judged: Pick<RunOutcome, 'effects' | 'held'>,
    workspaceId: string,
    runId: string,
  ): Promise<Pick<RunOutcome, 'effects' | 'held'>> {
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
    this.workspaces.saveBefore(workspaceId);
  }

  /**
   * Says what becomes of what a run did. Done again it changes nothing.
   * @throws AishError `locked` while something uses the workspace; `host_folder_changed` with `{ conflicts }`: nothing was
   *   kept, and it waits on.
   */
  async settle(workspaceId: string, runId: string, { verdict }: SettleHeld): Promise<void> {
    if (!this.layers.isOn || (await this.keeper.holder(workspaceId)).run !== runId) return;
    if (verdict === 'keep') {
      const conflicts = await this.folders.carry(runId);
      if (conflicts.length > 0) throw changedMeanwhile(conflicts);
      this.workspaces.forgetBefore(workspaceId);
      return this.keeper.keep(workspaceId, runId);
    }
    const open = this.pool.shutFor(workspaceId);
    try {
      await this.folders.drop(runId);
      await this.drop(workspaceId, runId);
    } finally {
      open();
    }
  }

  /** Before something else changes a workspace. @throws AishError `locked` */
  async needSettled(workspaceId: string): Promise<void> {
    if (!this.layers.isOn || (await this.keeper.holder(workspaceId)).run === null) return;
    const why = `What a command does to workspace ${workspaceId} does not count yet: it runs, or waits for a verdict`;
    throw new AishError('locked', why, { retryAfterS: 2 });
  }

  private async drop(workspaceId: string, runId: string): Promise<void> {
    for (const end = performance.now() + FREE_WAIT_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
      await this.settled(workspaceId);
      this.workspaces.restoreBefore(workspaceId);
      if (await this.layers.alone(workspaceId, () => this.keeper.takeBack(workspaceId, runId))) return;
    }
    throw new AishError('locked', `Something uses workspace ${workspaceId}`, { retryAfterS: 2 });
  }

  /** Resolves when a container that is made now has a layer of its own: none of a run that has ended is there any more. */
  async freed(workspaceId: string): Promise<void> {
    if (this.layers.isOn) await this.removals.settled(workspaceId);
  }

  private async settled(workspaceId: string): Promise<void> {
    await Promise.all([this.pool.drop(workspaceId), this.removals.settled(workspaceId)]);
  }

  private judge(workspaceId: string, runId: string, waits = false): Promise<Pick<RunOutcome, 'effects' | 'held'>> {
    const { HOLD_OWN_MAX_FILES: files, HOLD_OWN_MAX_MB: mb } = this.config;
    return this.keeper.judge(workspaceId, runId, { files, bytes: mb * MIB }, waits);
  }
}

function heldBy(workspaceId: string, run: string): AishError {
  return new AishError('workspace_held', `What run ${run} did to workspace ${workspaceId} does not count yet`, { run });
}

function changedMeanwhile(conflicts: readonly string[]): AishError {
  const why = `Nothing was written: changed on the host since the command began: ${conflicts.slice(0, CONFLICTS_TOLD).join(', ')}`;
  return new AishError('host_folder_changed', why, { conflicts });
}

function unavailable(workspaceId: string): AishError {
  return new AishError('hold_unavailable', `What a command does in workspace ${workspaceId} cannot be taken back now`);
}
