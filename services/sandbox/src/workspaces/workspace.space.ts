import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { HostDisk } from './host.disk.js';
import type { WorkspaceStore } from './workspace.store.js';

/**
 * Keeps commands from filling the disk. Volumes have no quota of their own, so a workspace is measured after each
 * command, and above its limit the next ones get a container that cannot write files: whoever is in it can still look
 * around and delete. The same holds for all workspaces as long as the host is short of space.
 */
export class WorkspaceSpace {
  constructor(
    private readonly store: WorkspaceStore,
    private readonly disk: HostDisk,
    private readonly config: Pick<SandboxConfig, 'RUN_WORKSPACE_MAX_MB'>,
    private readonly logger: Logger,
  ) {}

  mayWrite(workspaceId: string): boolean {
    return this.whyFull(workspaceId) === null;
  }

  /** What to tell whoever runs a command that cannot write; null when it can. */
  whyFull(workspaceId: string): string | null {
    const sizeMb = (this.store.sizeKib(workspaceId) ?? 0) / 1024;
    if (sizeMb <= this.config.RUN_WORKSPACE_MAX_MB) return this.disk.whyLow();
    return (
      `the workspace holds ${Math.ceil(sizeMb)} MiB, ${this.config.RUN_WORKSPACE_MAX_MB} MiB at most. ` +
      'This command cannot write files; delete some, and the next one can again'
    );
  }

  measured(workspaceId: string, sizeKib: number): void {
    try {
      this.store.saveSize(workspaceId, sizeKib);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'could not record the size of a workspace');
    }
  }
}
