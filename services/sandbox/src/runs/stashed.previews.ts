import { createHash } from 'node:crypto';
import type { RunOutcome } from '@aish/contracts/actions';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { runAgainReason } from '@aish/contracts/run-again-reason';
import type { WhyAnew } from '@aish/contracts/files';
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
import type { Surroundings } from './surroundings.js';
import { isSameSession } from '../workspaces/session.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { Conditions, StashedPreview, PreviewStore } from './preview.store.js';

/** Of one workspace, the newest. */
const KEPT_MAX = 2;

export interface KeptPreviewsParts {
  readonly store: PreviewStore;
  readonly outcomes: OutcomeStore;
  readonly outputs: OutputStore;
  readonly layerStore: LayerStore;
  readonly layers: Layers;
  readonly holds: Holds;
  readonly surroundings: Surroundings;
  readonly workspaces: WorkspaceStore;
  /** Tells containers apart by all that they are made of. */
  readonly fitOf: (workplace: NewWorkplace) => string;
}

/**
 * The changes of stashed previews. The keeper has the layer; outcome and conditions are here. The action of a preview
 * keeps it if its run names it and nothing has changed. Then, in this order, the action is marked, the keeper puts the
 * layer on top, and the outcome is recorded.
 * After the mark, recovery after a crash finishes the rest. Before the mark, nothing has begun.
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

  /** What a command begins in now. @throws AishError as its run would be refused */
  async conditionsOf(request: RunRequest): Promise<Conditions> {
    const workplace = await this.parts.surroundings.of(request);
    return this.conditionsIn(request, workplace);
  }

  /** Sets aside what a preview did that has ended. @throws AishError: it is not kept */
  async stash(actionId: string, preview: StashedPreview): Promise<void> {
    const { holds, layerStore, store } = this.parts;
    const { workspaceId, runId } = preview;
    await holds.alone(workspaceId, async () => {
      if (!(await layerStore.stash(workspaceId, runId, actionId, KEPT_MAX))) throw new Error('the preview is gone');
    });
    await store.write(actionId, preview);
  }

  /** What was set aside for an action and could be kept now; null where there is nothing such. */
  async standing(actionId: string, request: RunRequest): Promise<StashedPreview | null> {
    const kept = this.parts.store.find(actionId);
    if (kept === null || kept.workspaceId !== request.workspaceId) return null;
    if (differs(kept.conditions, await this.conditionsOf(request)) !== null) return null;
    const stale = await this.parts.layerStore.stale(kept.workspaceId, kept.runId, actionId, this.maxAgeS);
    return stale === null ? kept : null;
  }

  /**
   * Keeps what the preview that a run names did as what the run did, where all is as it was then. Where it is not, or there
   * is another preview, the run says so in its output, and is to be carried out.
   * @returns its recorded outcome; null where it is to be carried out.
   * @throws AishError as its run would be refused; otherwise it may have begun, and is brought to its end by `resume`.
   */
  async adopt(run: Run, request: RunRequest): Promise<RunOutcome | null> {
    const { runId, workspaceId, preview: named } = request;
    const kept = this.parts.store.find(runId);
    if (kept === null && named === undefined) return null;
    const done = kept === null ? 'gone' : await this.keep(run, request, kept);
    if (typeof done !== 'string') return done;
    await this.drop(workspaceId, runId);
    run.log.info({ why: done }, 'the preview of a run is not kept');
    run.say(`this is not the run that was previewed: ${runAgainReason(done)}`);
    return null;
  }

  /** After a crash: brings to its end what a run began that keeps its preview, or makes it as if it had not begun. */
  async resume(runId: string, workspaceId: string): Promise<void> {
    const { store, outcomes } = this.parts;
    const kept = store.find(runId);
    if (kept === null) return outcomes.write(runId, { state: 'lost' });
    const why = await this.putOnTop(runId, kept, undefined);
    if (why === null) await this.finish(runId, kept);
    // Others may use it now; what the keeper has begun stays begun.
    else if (why === 'in use') this.logger.warn({ runId, workspaceId }, 'a preview cannot be kept yet');
    else await outcomes.forget(runId);
  }

  /** Forgets what was set aside for an action. Not while that keeps it. */
  async drop(workspaceId: string, actionId: string): Promise<void> {
    const { store, outcomes, layerStore } = this.parts;
    const kept = store.find(actionId);
    if (kept?.workspaceId !== workspaceId || outcomes.find(actionId)?.state === 'starting') return;
    await layerStore.dropStashed(workspaceId, actionId);
    store.forget(actionId);
  }

  /** Drops what is too old, and what a crash left without its other half. @param isBusy whether a preview is under way. */
  async sweep(isBusy: (workspaceId: string) => boolean): Promise<void> {
    const { store, outcomes, layerStore, holds } = this.parts;
    // In this order, so that a preview that is stashed in between is not among them.
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

  /** @returns its recorded outcome, or why it is to be carried out. */
  private async keep(run: Run, request: RunRequest, kept: StashedPreview): Promise<RunOutcome | WhyAnew> {
    const { surroundings, outcomes } = this.parts;
    const { runId, workspaceId, hold, preview: named } = request;
    // Somebody else may have previewed it since: only the run that was shown is what the person let count.
    if (kept.runId !== named) return 'not shown';
    const workplace = await surroundings.of(request);
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

  /** @returns why it cannot be; then nothing is changed. @throws AishError when nobody knows whether it was. */
  private async putOnTop(actionId: string, kept: StashedPreview, hold: Hold | undefined): Promise<WhyAnew | null> {
    const { holds, layerStore, layers } = this.parts;
    const { workspaceId, runId } = kept;
    if (!layers.isOn) return 'no layers';
    let why: WhyAnew | null = 'in use';
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
    const { surroundings, workspaces, fitOf } = this.parts;
    const { command, workspaceId, carryOver } = request;
    return {
      command,
      session: await surroundings.sessionFor(request),
      carried: carryOver ? workspaces.session(workspaceId) : null,
      place: createHash('sha256').update(fitOf(workplace)).digest('hex'),
    };
  }
}

/** What a command will have and a preview never has. */
function reachesMore(
  { secrets }: Pick<RunRequest, 'secrets'>,
  { network = null, hosts = null, hostMounts = [], heldFolders = [] }: NewWorkplace,
): WhyAnew | null {
  if (network !== null) return 'network';
  if (hosts !== null) return 'other hosts';
  if (hostMounts.length + heldFolders.length > 0) return 'host folders';
  return secrets.length > 0 ? 'secrets' : null;
}

function differs(then: Conditions, now: Conditions): WhyAnew | null {
  if (then.command !== now.command) return 'command';
  if (!isSameSession(then.session, now.session)) return 'surroundings';
  const isSameCarried =
    then.carried === null || now.carried === null
      ? then.carried === now.carried
      : isSameSession(then.carried, now.carried);
  if (!isSameCarried) return 'surroundings';
  return then.place === now.place ? null : 'rules';
}

function unlessLocked(error: unknown): void {
  if (!isAishError(error, 'locked')) throw error;
}
