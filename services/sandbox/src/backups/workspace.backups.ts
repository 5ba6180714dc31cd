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
 * Backs up and restores workspaces. A backup is a tar. It holds the files without held changes, followed by the held
 * changes (`scripts/keeper/backup.py`). To restore a backup, the caller passes the same tar to `write` and then, if
 * changes wait for a verdict, to `writeHeld`.
 */
export class WorkspaceBackups {
  constructor(
    private readonly parts: BackupParts,
    private readonly config: SandboxConfig,
  ) {}

  /** @throws AishError `file_not_found` if the workspace does not exist */
  async read(workspaceId: string, signal: AbortSignal): Promise<Download> {
    await this.parts.helpers.needWorkspace(workspaceId);
    const isLayered = (await this.parts.overlays.kindOf(workspaceId)) === 'overlay';
    const task = isLayered ? this.fromLayers(workspaceId) : this.fromVolume(workspaceId);
    return openDownload(this.parts.helpers, task, refuse, signal);
  }

  /** Restores the files. @throws AishError `locked` if changes wait for a verdict; `disk_full` */
  async write(workspaceId: string, tar: Readable, signal: AbortSignal): Promise<void> {
    await this.parts.holds.change(workspaceId, signal, () => this.unpack(workspaceId, './', tar, signal));
  }

  /**
   * Restores the changes of a run that waits for a verdict, on top of the files. The changes then wait again.
   * @throws AishError `locked`, `hold_unavailable` if this workspace cannot hold changes, `disk_full`
   */
  async writeHeld(
    workspaceId: string,
    run: { readonly runId: string; readonly origin: string },
    tar: Readable,
    signal: AbortSignal,
  ): Promise<void> {
    await this.parts.holds.putBack(workspaceId, run, () => this.unpack(workspaceId, 'held/', tar, signal));
  }

  /** The task mounts the volume so that nobody removes its layers during the backup. */
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
  if (exitCode === 48) throw new AishError('disk_full', `The workspace could not be restored: ${stderr}`);
  if (exitCode === null)
    throw new AishError('sandbox_interrupted', 'Restoring the workspace took too long, or the request was closed');
  throw new AishError('internal', `A helper container exited with code ${exitCode}: ${stderr}`);
}
