import { createHash } from 'node:crypto';
import type { RunOutcome } from '@aish/contracts/actions';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { rerunReasonText } from '@aish/contracts/rerun-reason';
import type { RerunReason } from '@aish/contracts/files';
import { isAishError } from '@aish/contracts/problems';
import type { Hold, RunRequest } from '@aish/contracts/runs';
import type { Logger } from '@aish/http';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { Holds } from '../layers/holds.js';
import type { LayerStore } from '../layers/layer.store.js';
import type { Layers } from '../layers/layers.js';
import type { OutputStore } from '../outputs/output.store.js';
import type { OutcomeStore } from './outcome.store.js';
import type { Run } from './run.js';
import type { ExecutionContexts } from './execution-contexts.js';
import { isSameSession } from '../workspaces/session.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { Conditions, StashedPreview, PreviewStore } from './preview.store.js';

/** The number of newest previews that are kept for one workspace. */
const KEPT_MAX = 2;

export interface KeptPreviewsParts {
  readonly store: PreviewStore;
  readonly outcomes: OutcomeStore;
  readonly outputs: OutputStore;
  readonly layerStore: LayerStore;
  readonly layers: Layers;
  readonly holds: Holds;
  readonly contexts: ExecutionContexts;
  readonly workspaces: WorkspaceStore;
  /** Returns a key that is the same for containers with equal settings. */
  readonly fitOf: (workplace: NewWorkplace) => string;
}

/**
 * Manages the changes of stashed previews. The keeper stores the layer, and this class stores the outcome and the
 * conditions. An action adopts its preview if the action's run names the preview and nothing has changed. This takes
 * three steps: mark the action, put the layer on top (which the keeper does), and record the outcome. After a crash,
 * recovery completes the steps if the action was marked. If it was not marked, nothing has begun.
 */
export class StashedPreviews {
  private readonly maxAgeS: number;

  constructor(
    private readonly parts: KeptPreviewsParts,
    config: Pick<SandboxConfig, 'PREVIEW_KEEP_MINUTES'>,
    private readonly logger: Logger,
  ) {
    this.maxAgeS = config.PREVIEW_KEEP_MINUTES * 60;
  }

  /** Returns the conditions under which a command would begin now. @throws AishError as for a refused run */
  async conditionsOf(request: RunRequest): Promise<Conditions> {
    const workplace = await this.parts.contexts.of(request);
    return this.conditionsIn(request, workplace);
  }

  /** Stashes the changes of a preview that has ended. @throws AishError if the preview is not kept */
  async stash(actionId: string, preview: StashedPreview): Promise<void> {
    const { holds, layerStore, store } = this.parts;
    const { workspaceId, runId } = preview;
    await holds.alone(workspaceId, async () => {
      if (!(await layerStore.stash(workspaceId, runId, actionId, KEPT_MAX))) throw new Error('the preview is gone');
    });
    await store.write(actionId, preview);
  }

  /** Returns the stashed preview of an action that could be adopted now, or null. */
  async findMatching(actionId: string, request: RunRequest): Promise<StashedPreview | null> {
    const kept = this.parts.store.find(actionId);
    if (kept === null || kept.workspaceId !== request.workspaceId) return null;
    if (differs(kept.conditions, await this.conditionsOf(request)) !== null) return null;
    const stale = await this.parts.layerStore.stale(kept.workspaceId, kept.runId, actionId, this.maxAgeS);
    return stale === null ? kept : null;
  }

  /**
   * Adopts the preview that a run names as the result of the run, if nothing has changed. If something has changed, or
   * if there is another preview, the run's output says so, and the command must be carried out.
   * @returns the recorded outcome, or null if the command must be carried out
   * @throws AishError as for a refused run. After any other error the run may have begun, and `resume` completes it.
   */
  async adopt(run: Run, request: RunRequest): Promise<RunOutcome | null> {
    const { runId, workspaceId, preview: named } = request;
    const kept = this.parts.store.find(runId);
    if (kept === null && named === undefined) return null;
    const done = kept === null ? 'gone' : await this.keep(run, request, kept);
    if (typeof done !== 'string') return done;
    await this.drop(workspaceId, runId);
    run.log.info({ why: done }, 'the preview of a run is not kept');
    run.say(`this is not the run that was previewed: ${rerunReasonText(done)}`);
    return null;
  }

  /** Completes a run that had begun to adopt its preview before a crash. If it had not begun, resets it. */
  async resume(runId: string, workspaceId: string): Promise<void> {
    const { store, outcomes } = this.parts;
    const kept = store.find(runId);
    if (kept === null) return outcomes.write(runId, { state: 'lost' });
    const why = await this.putOnTop(runId, kept, undefined);
    if (why === null) await this.finish(runId, kept);
    // Another command may be using the workspace now. The run stays begun if the keeper has already begun to adopt the
    // preview.
    else if (why === 'in use') this.logger.warn({ runId, workspaceId }, 'a preview cannot be kept yet');
    else await outcomes.forget(runId);
  }

  /** Forgets the stashed preview of an action, unless the action is adopting it. */
  async drop(workspaceId: string, actionId: string): Promise<void> {
    const { store, outcomes, layerStore } = this.parts;
    const kept = store.find(actionId);
    if (kept?.workspaceId !== workspaceId || outcomes.find(actionId)?.state === 'starting') return;
    await layerStore.dropStashed(workspaceId, actionId);
    store.forget(actionId);
  }

  /**
   * Drops previews that are too old, and incomplete previews that a crash left behind. @param isBusy returns whether a
   * preview is running in the workspace
   */
  async sweep(isBusy: (workspaceId: string) => boolean): Promise<void> {
    const { store, outcomes, layerStore, holds } = this.parts;
    // The order matters: previews that are stashed in between are not affected.
    const known = store.actionIds();
    const { stashed, left } = await layerStore.previews();
    for (const { workspace, run } of left) {
      if (!isBusy(workspace)) await holds.takeBack(workspace, run).catch(unlessLocked);
    }
    for (const { workspace, action, at } of stashed) {
      if (isBusy(workspace) || outcomes.find(action)?.state === 'starting') continue;
      if (store.find(action) !== null && Date.now() / 1000 - at <= this.maxAgeS) continue;
      await layerStore.dropStashed(workspace, action);
      store.forget(action);
    }
    for (const action of known) {
      if (stashed.some((each) => each.action === action) || outcomes.find(action)?.state === 'starting') continue;
      store.forget(action);
    }
  }

  /** @returns the recorded outcome, or the reason why the command must be carried out */
  private async keep(run: Run, request: RunRequest, kept: StashedPreview): Promise<RunOutcome | RerunReason> {
    const { contexts, outcomes } = this.parts;
    const { runId, workspaceId, hold, preview: named } = request;
    // Someone else may have previewed the command since. Only the run that the person saw counts.
    if (kept.runId !== named) return 'not shown';
    const workplace = await contexts.of(request);
    const changed =
      reachesMore(request, workplace) ?? differs(kept.conditions, await this.conditionsIn(request, workplace));
    if (changed !== null) return changed;
    await outcomes.write(runId, { state: 'starting', startedAt: new Date().toISOString(), adopts: workspaceId });
    const why = await this.putOnTop(runId, kept, hold);
    if (why !== null) {
      await outcomes.forget(runId);
      return why;
    }
    run.workplace = workplace;
    run.log.info({ preview: kept.runId }, 'run kept from its preview');
    return this.finish(runId, kept);
  }

  /**
   * @returns the reason why the preview cannot be kept, in which case nothing has changed. @throws AishError if nobody
   * knows whether it was kept
   */
  private async putOnTop(actionId: string, kept: StashedPreview, hold: Hold | undefined): Promise<RerunReason | null> {
    const { holds, layerStore, layers } = this.parts;
    const { workspaceId, runId } = kept;
    if (!layers.isOn) return 'no layers';
    let why: RerunReason | null = 'in use';
    const as = hold ?? ({ origin: workspaceId, mode: 'note' } as const);
    await holds
      .alone(workspaceId, async () => {
        why = await layerStore.adopt(workspaceId, runId, actionId, as, this.maxAgeS);
      })
      .catch(unlessLocked);
    return why;
  }

  private async finish(
    actionId: string,
    { runId, workspaceId, outcome, session }: StashedPreview,
  ): Promise<RunOutcome> {
    const { holds, outcomes, outputs, workspaces, store } = this.parts;
    const ended = { ...outcome, ...(await holds.ended(workspaceId, actionId)) };
    if (ended.held !== undefined) holds.keepSession(workspaceId);
    if (session !== null) workspaces.saveSession(workspaceId, session);
    await outputs.handOn(workspaceId, runId, actionId);
    await outcomes.write(actionId, { state: 'ended', outcome: ended });
    store.forget(actionId);
    return ended;
  }

  private async conditionsIn(request: RunRequest, workplace: NewWorkplace): Promise<Conditions> {
    const { contexts, workspaces, fitOf } = this.parts;
    const { command, workspaceId, carryOver } = request;
    return {
      command,
      session: await contexts.sessionFor(request),
      carried: carryOver ? workspaces.session(workspaceId) : null,
      place: createHash('sha256').update(fitOf(workplace)).digest('hex'),
    };
  }
}

/** Returns the access that a command has but a preview never gets. */
function reachesMore(
  { secrets }: Pick<RunRequest, 'secrets'>,
  { network = null, hosts = null, hostMounts = [], heldFolders = [] }: NewWorkplace,
): RerunReason | null {
  if (network !== null) return 'network';
  if (hosts !== null) return 'other hosts';
  if (hostMounts.length + heldFolders.length > 0) return 'host folders';
  return secrets.length > 0 ? 'secrets' : null;
}

function differs(then: Conditions, now: Conditions): RerunReason | null {
  if (then.command !== now.command) return 'command';
  if (!isSameSession(then.session, now.session)) return 'execution context';
  const isSameCarried =
    then.carried === null || now.carried === null
      ? then.carried === now.carried
      : isSameSession(then.carried, now.carried);
  if (!isSameCarried) return 'execution context';
  return then.place === now.place ? null : 'rules';
}

function unlessLocked(error: unknown): void {
  if (!isAishError(error, 'locked')) throw error;
}
