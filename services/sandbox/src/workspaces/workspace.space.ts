import { statfs } from 'node:fs/promises';
import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { WorkspaceStore } from './workspace.store.js';

const LOOK_EVERY_MS = 2_000;
const MIB = 2 ** 20;

/**
 * Keeps commands from filling the disk. Volumes have no quota of their own, so a workspace is measured after each
 * command, and above its limit the next ones get a container that cannot write files: whoever is in it can still look
 * around and delete. The same holds for all workspaces as long as the host is short of space.
 */
export class WorkspaceSpace implements BeforeApplicationShutdown {
  private freeMb = Number.POSITIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly store: WorkspaceStore,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
    /** Folders on the disk that is to be kept from filling; one that cannot be asked is passed over. */
    private readonly folders: () => readonly string[],
    /** Called, as long as it is so, with the host short of space. */
    private readonly onLow: () => void,
  ) {}

  mayWrite(workspaceId: string): boolean {
    return this.whyFull(workspaceId) === null;
  }

  /** What to tell whoever runs a command that cannot write; null when it can. */
  whyFull(workspaceId: string): string | null {
    const sizeMb = (this.store.sizeKib(workspaceId) ?? 0) / 1024;
    if (sizeMb > this.config.RUN_WORKSPACE_MAX_MB) {
      return (
        `the workspace holds ${Math.ceil(sizeMb)} MiB, ${this.config.RUN_WORKSPACE_MAX_MB} MiB at most. ` +
        'This command cannot write files; delete some, and the next one can again'
      );
    }
    if (!this.isLow) return null;
    return (
      `the host has ${Math.floor(this.freeMb)} MiB of disk left and keeps ${this.config.DISK_FREE_MIN_MB} MiB free. ` +
      'No command can write files until there is more; deleting some helps'
    );
  }

  measured(workspaceId: string, sizeKib: number): void {
    try {
      this.store.saveSize(workspaceId, sizeKib);
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'could not record the size of a workspace');
    }
  }

  /** Looks at the disk now, and from time to time until the service stops. */
  async start(): Promise<void> {
    await this.look();
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.start(), LOOK_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private get isLow(): boolean {
    return this.freeMb < this.config.DISK_FREE_MIN_MB;
  }

  private async look(): Promise<void> {
    let freeMb = Number.POSITIVE_INFINITY;
    for (const folder of this.folders()) {
      try {
        const { bavail, bsize } = await statfs(folder);
        freeMb = Math.min(freeMb, (bavail * bsize) / MIB);
      } catch (error) {
        this.logger.debug({ err: error, folder }, 'cannot tell how much space is left there');
      }
    }
    const wasLow = this.isLow;
    this.freeMb = freeMb;
    if (this.isLow && !wasLow) this.logger.warn({ freeMb: Math.floor(freeMb) }, 'the disk is nearly full');
    if (this.isLow) this.onLow();
  }
}
