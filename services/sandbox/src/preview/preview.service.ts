import { randomUUID } from 'node:crypto';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Effects } from '@aish/contracts/effects';
import type { CopyPreview, PreviewRequest, RerunReason } from '@aish/contracts/files';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { RunRequest } from '@aish/contracts/runs';
import type { Logger } from '@aish/http';
import type { Holds } from '../layers/holds.js';
import type { Layers } from '../layers/layers.js';
import type { LiveRuns } from '../runs/live-runs.js';
import type { OutcomeStore } from '../runs/outcome.store.js';
import { serviceStopping } from '../runs/run-errors.js';
import type { Run } from '../runs/run.js';
import type { RunStarter } from '../runs/run.starter.js';
import { checkCommand } from '../runs/runs.service.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import type { StashedPreviews } from '../runs/stashed.previews.js';
import type { PreviewCopies } from './preview.copies.js';

const NAMES_MAX = 20;
const OUTPUT_MAX_CHARS = 8_192;

export interface PreviewParts {
  readonly copies: PreviewCopies;
  readonly kept: StashedPreviews;
  readonly live: LiveRuns;
  readonly outcomes: OutcomeStore;
  readonly use: WorkspaceUse;
  readonly holds: Holds;
  readonly layers: Layers;
  readonly starter: RunStarter;
  /** Returns whether a workspace has network access. */
  readonly hasNetwork: (workspaceId: string) => boolean;
}

/**
 * Shows the effects of a command before they count. If the workspace has layers and the command has access to nothing
 * else, it runs like any other command, and its changes are stashed for its action. Otherwise it runs on a copy, and
 * the changes cannot be kept.
 */
export class PreviewService {
  /** The workspaces with a running preview. Each has at most one. */
  private readonly busy = new Map<string, Promise<unknown>>();

  constructor(
    private readonly parts: PreviewParts,
    private readonly logger: Logger,
  ) {}

  /**
   * Runs a command without network and reports its changes. The workspace stays unchanged.
   * @throws AishError `file_not_found` (no workspace), `preview_too_large`, `command_too_long`, `aborted`, and the
   * errors of a run
   */
  async preview(workspaceId: string, request: PreviewRequest, signal: AbortSignal): Promise<CopyPreview> {
    checkCommand(request.command);
    await this.parts.copies.needWorkspace(workspaceId);
    for (let other = this.busy.get(workspaceId); other !== undefined; other = this.busy.get(workspaceId)) {
      await Promise.allSettled([other]);
      signal.throwIfAborted();
    }
    const mine = this.tryOut(workspaceId, request, signal);
    this.busy.set(workspaceId, mine);
    try {
      return await mine;
    } finally {
      this.busy.delete(workspaceId);
    }
  }

  /** Removes remains of previews after a crash, and previews that are too old. */
  async sweep(): Promise<void> {
    await this.parts.copies.sweep();
    if (this.parts.layers.isOn) await this.parts.kept.sweep((workspaceId) => this.busy.has(workspaceId));
  }

  private async tryOut(workspaceId: string, request: PreviewRequest, signal: AbortSignal): Promise<CopyPreview> {
    const { copies, kept, layers } = this.parts;
    const { actionId, lacks } = request;
    let why: RerunReason | null = lacks[0] ?? (this.parts.hasNetwork(workspaceId) ? 'network' : null);
    if (!(await layers.works())) why ??= 'no layers';
    if (actionId === undefined) why ??= 'decided';
    else {
      if (why === null) {
        const tried = await this.inLayer(actionId, runOf(workspaceId, request), signal);
        if (typeof tried !== 'string') return tried;
        why = tried;
      }
      await kept.drop(workspaceId, actionId);
    }
    return { ...(await copies.preview(workspaceId, request, signal)), keeps: false, rerunReason: why, id: null };
  }

  /** @returns the result, or the reason why the command did not run in a layer */
  private async inLayer(
    actionId: string,
    request: RunRequest,
    signal: AbortSignal,
  ): Promise<CopyPreview | RerunReason> {
    const { kept, use, holds, starter } = this.parts;
    const { workspaceId } = request;
    const stashed = await kept.findMatching(actionId, request);
    if (stashed !== null) return answerOf(stashed.outcome, null, stashed.runId);
    await kept.drop(workspaceId, actionId);
    // New commands wait. Otherwise their changes would be stashed, too.
    const free = use.hold(workspaceId);
    if (free === null) return 'in use';
    try {
      await holds.renew(workspaceId);
      const run = await this.run(actionId, request, signal);
      if (typeof run !== 'string') void starter.prepareAfter(run.run, request);
      return typeof run === 'string' ? run : run.answer;
    } catch (error) {
      if (isAishError(error, 'locked')) return 'in use';
      throw error;
    } finally {
      free();
    }
  }

  private async run(
    actionId: string,
    request: RunRequest,
    signal: AbortSignal,
  ): Promise<{ readonly run: Run; readonly answer: CopyPreview } | RerunReason> {
    const { live, kept, outcomes, holds } = this.parts;
    const { workspaceId, runId } = request;
    const conditions = await kept.conditionsOf(request);
    const run = live.add(request);
    const stop = () => run.stop('cancel');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const outcome = await ended(run);
      if (outcome === null) return 'in use';
      const why = whyNotKept(outcome);
      if (why === null) await kept.stash(actionId, { workspaceId, runId, conditions, outcome, session: run.left });
      else await holds.takeBack(workspaceId, runId);
      signal.throwIfAborted();
      return { run, answer: answerOf(outcome, why, why === null ? runId : null) };
    } catch (error) {
      // The sweep drops the leftovers, or the next command does so before it begins.
      run.log.warn({ err: error }, 'a preview could not be kept');
      if (!run.leaving.aborted) await holds.takeBack(workspaceId, runId);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await outcomes.forget(runId);
    }
  }
}

function runOf(workspaceId: string, { command, timeoutMs, background, carryOver, image }: PreviewRequest): RunRequest {
  return {
    runId: randomUUID(),
    workspaceId,
    command,
    timeoutMs,
    background,
    carryOver,
    ...(image === undefined ? {} : { image }),
    hold: { origin: workspaceId, mode: 'preview' },
    // An approved command uses the same setting.
    pinned: true,
    hostFolders: [],
    boundFiles: [],
    hosts: false,
    secrets: [],
  };
}

/**
 * Waits for the end of a preview. Returns null if it could not begin in its own layer. @throws AishError as a run does,
 * `service_stopping`
 */
async function ended(run: Run): Promise<RunOutcome | null> {
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => (leave = () => reject(serviceStopping())));
  run.leaving.addEventListener('abort', leave, { once: true });
  try {
    return (await Promise.race([run.ended.promise, left])).outcome;
  } catch (error) {
    if (isAishError(error, 'hold_unavailable', 'workspace_held')) return null;
    throw error;
  } finally {
    run.leaving.removeEventListener('abort', leave);
  }
}

/**
 * Returns the reason why a preview cannot be kept. @throws AishError `preview_too_large` if a person could not see all
 * of it
 */
function whyNotKept({ exitCode, timedOut, effects }: RunOutcome): RerunReason | null {
  if (exitCode === null) return timedOut ? 'time limit' : 'stopped';
  if (effects?.complete === true) return null;
  throw new AishError('preview_too_large', 'The command made more changes than aish can compare');
}

function answerOf(outcome: RunOutcome, rerunReason: RerunReason | null, id: string | null): CopyPreview {
  const { exitCode, timedOut, output, omittedBytes, durationMs, effects } = outcome;
  const part = (share: Effects['deleted'] | undefined) => ({
    count: share?.files ?? 0,
    sizeBytes: share?.bytes ?? 0,
    names: share?.paths.slice(0, NAMES_MAX) ?? [],
  });
  return {
    removed: part(effects?.deleted),
    changed: part(effects?.changed),
    added: part(effects?.created),
    exitCode,
    timedOut,
    output: output.slice(0, OUTPUT_MAX_CHARS),
    isOutputCut: omittedBytes > 0 || output.length > OUTPUT_MAX_CHARS,
    durationMs,
    keeps: rerunReason === null,
    rerunReason,
    id,
  };
}
