import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import type { HostDisk } from './host.disk.js';
import type { Contents, WorkspaceStore } from './workspace.store.js';

const KIB = 1024;

/**
 * Keeps commands from filling the disk. Volumes have no quota of their own, so a workspace is measured after each
 * command. Above its limit, the next commands get a container that cannot create files; they can still look around and
 * delete. The same holds for all workspaces as long as the host is short of space. GrowthWatch covers the time while a
 * command runs.
 */
export class WorkspaceSpace {
  /** Workspaces that could not be measured from inside: a command has closed a folder there. */
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

  /** The message for a command that cannot write; null when it can. */
  whyFull(workspaceId: string): string | null {
    const tooMuch = this.tooMuch(workspaceId);
    if (tooMuch === null) return this.disk.whyLow();
    return `the workspace holds ${tooMuch}. This command cannot write files; delete some, and the next one can again`;
  }

  /** What a workspace holds and its limit, in words, when that is more than it may; null when it is not. */
  tooMuch(workspaceId: string): string | null {
    const { sizeKib, files } = this.store.contents(workspaceId);
    const { RUN_WORKSPACE_MAX_MB: maxMb, RUN_WORKSPACE_MAX_FILES: maxFiles } = this.config;
    if (sizeKib > maxMb * KIB) return `${Math.ceil(sizeKib / KIB)} MiB, ${maxMb} MiB at most`;
    return files > maxFiles ? `${files} files, ${maxFiles} at most` : null;
  }

  /** How much may come to what was measured last. */
  room(workspaceId: string): { readonly bytes: number; readonly files: number } {
    const { sizeKib, files } = this.store.contents(workspaceId);
    return {
      bytes: Math.max(0, this.config.RUN_WORKSPACE_MAX_MB * KIB - sizeKib) * KIB,
      files: Math.max(0, this.config.RUN_WORKSPACE_MAX_FILES - files),
    };
  }

  /** @param contents null when they could not be read. */
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

  /** Whether nobody knows what lies in it, because it cannot be read from inside. */
  isClosed(workspaceId: string): boolean {
    return this.closed.has(workspaceId);
  }
}
