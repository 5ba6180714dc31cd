import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import type { HostDisk } from './host.disk.js';
import type { Contents, WorkspaceStore } from './workspace.store.js';

const KIB = 1024;

/**
 * Keeps commands from filling the disk. Volumes have no quota of their own, so a workspace is measured after each
 * command. If it exceeds its limit, the next commands get a container that cannot create files but can still read and
 * delete. The same applies to all workspaces while the host is short of space. GrowthWatch covers the time while a
 * command runs.
 */
export class WorkspaceSpace {
  /** The workspaces that could not be measured from inside, because a command made a folder unreadable. */
  private readonly closed = new Set<string>();

  constructor(
    private readonly store: WorkspaceStore,
    private readonly disk: HostDisk,
    private readonly config: Pick<SandboxConfig, 'RUN_WORKSPACE_MAX_MB' | 'RUN_WORKSPACE_MAX_FILES'>,
    private readonly logger: Logger,
  ) {}

  mayWrite(workspaceId: string): boolean {
    return this.whyFull(workspaceId) === null;
  }

  /** Returns the message for a command that cannot write, or null if it can. */
  whyFull(workspaceId: string): string | null {
    const tooMuch = this.tooMuch(workspaceId);
    if (tooMuch === null) return this.disk.whyLow();
    return `the workspace holds ${tooMuch}. This command cannot write files; delete some, and the next one can again`;
  }

  /** Returns the size of a workspace and its limit, in words, if it exceeds the limit. Otherwise returns null. */
  tooMuch(workspaceId: string): string | null {
    const { sizeKib, files } = this.store.contents(workspaceId);
    const { RUN_WORKSPACE_MAX_MB: maxMb, RUN_WORKSPACE_MAX_FILES: maxFiles } = this.config;
    if (sizeKib > maxMb * KIB) return `${Math.ceil(sizeKib / KIB)} MiB, ${maxMb} MiB at most`;
    return files > maxFiles ? `${files} files, ${maxFiles} at most` : null;
  }

  /** Returns how much may be added since the last measurement. */
  room(workspaceId: string): { readonly bytes: number; readonly files: number } {
    const { sizeKib, files } = this.store.contents(workspaceId);
    return {
      bytes: Math.max(0, this.config.RUN_WORKSPACE_MAX_MB * KIB - sizeKib) * KIB,
      files: Math.max(0, this.config.RUN_WORKSPACE_MAX_FILES - files),
    };
  }

  /** @param contents null if they could not be measured */
  measured(workspaceId: string, contents: Contents | null): void {
    if (contents === null) {
      this.closed.add(workspaceId);
      return;
    }
    this.closed.delete(workspaceId);
    try {
      this.store.saveContents(workspaceId, contents);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'could not record the size of a workspace');
    }
  }

  /** Returns whether the size is unknown because the workspace cannot be measured from inside. */
  isClosed(workspaceId: string): boolean {
    return this.closed.has(workspaceId);
  }
}
