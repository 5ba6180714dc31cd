import type { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask } from '../engine/helper.engine.js';
import type { HelperEnd } from '../engine/helper.js';
import { keeperCommand } from '../engine/script.js';
import { archiveCommand, archiveLimits, MOVE_TIMEOUT_MS, openDownload, type Download } from '../files/download.js';
import type { Holds } from '../layers/holds.js';
import { layersVolume } from '../layers/keeper.line.js';
import type { Overlays } from '../layers/overlays.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';

const ANSWER_MAX_BYTES = 1_024;

interface BackupParts {
  readonly helpers: HelperEngine;
  readonly overlays: Overlays;
  readonly holds: Holds;
  readonly space: WorkspaceSpace;
}

/**
 * Workspaces as backups have them: a tar with the files as they are without what waits for a verdict, and that beside them
 * (`scripts/keeper/backup.py`). The same tar is given to `write` and, where something waits, to `writeHeld`.
 */
export class WorkspaceBackups {
  constructor(
    private readonly parts: BackupParts,
    private readonly config: SandboxConfig,
  ) {}

  /** @throws AishError `file_not_found` where there is no such workspace */
  async read(workspaceId: string, signal: AbortSignal): Promise<Download> {
    await this.parts.helpers.needWorkspace(workspaceId);
    const isLayered = (await this.parts.overlays.kindOf(workspaceId)) === 'overlay';
    const task = isLayered ? this.fromLayers(workspaceId) : this.fromVolume(workspaceId);
    return openDownload(this.parts.helpers, task, refuse, signal);
  }

  /** Puts the files there. @throws AishError `locked` where something waits for a verdict; `disk_full` */
  async write(workspaceId: string, tar: Readable, signal: AbortSignal): Promise<void> {
    await this.parts.holds.change(workspaceId, signal, () => this.unpack(workspaceId, './', tar, signal));
  }

  /**
   * Puts there, over the files, what a run did that waits for a verdict: it waits again.
   * @throws AishError `locked`, `hold_unavailable` where nothing can wait here, `disk_full`
   */
  async writeHeld(
    workspaceId: string,
    run: { readonly runId: string; readonly origin: string },
    tar: Readable,
    signal: AbortSignal,
  ): Promise<void> {
    await this.parts.holds.putBack(workspaceId, run, () => this.unpack(workspaceId, 'held/', tar, signal));
  }

  /** The volume is mounted so that nobody removes its layers during the backup. */
  private fromLayers(workspaceId: string): HelperTask {
    const question = JSON.stringify([workspaceId, ...archiveLimits(this.config.RUN_WORKSPACE_MAX_MB)]);
    return {
      command: keeperCommand('main', 'backup', question),
      volumes: [
        this.parts.helpers.workspace(workspaceId, true, '/source'),
        { volume: layersVolume(this.config.SANDBOX_INSTANCE), target: '/workspace', readOnly: true },
      ],
      timeoutMs: MOVE_TIMEOUT_MS,
      readsAll: true,
    };
  }

  private fromVolume(workspaceId: string): HelperTask {
    return {
      command: archiveCommand('/workspace', this.config.RUN_WORKSPACE_MAX_MB),
      volumes: [this.parts.helpers.workspace(workspaceId, true)],
      timeoutMs: MOVE_TIMEOUT_MS,
      readsAll: true,
    };
  }

  private async unpack(workspaceId: string, prefix: string, input: Readable, signal: AbortSignal): Promise<void> {
    const full = this.parts.space.whyFull(workspaceId);
    if (full !== null) throw new AishError('disk_full', full);
    const task = {
      command: keeperCommand('unpack', prefix),
      volumes: [this.parts.helpers.workspace(workspaceId, false)],
      timeoutMs: MOVE_TIMEOUT_MS,
      readsAll: true,
      input,
    };
    refuse(await this.parts.helpers.run(task, signal, ANSWER_MAX_BYTES));
  }
}

function refuse({ exitCode, stderr }: HelperEnd): void {
  if (exitCode === 0) return;
  if (exitCode === 48) throw new AishError('disk_full', `The workspace could not be put back: ${stderr}`);
  if (exitCode === null)
    throw new AishError('sandbox_interrupted', 'It took too long, or nobody waited for it any more');
  throw new AishError('internal', `A helper ended with ${exitCode}: ${stderr}`);
}
