import { statfs } from 'node:fs/promises';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';

const LOOK_EVERY_MS = 2_000;
const MIB = 2 ** 20;

/** The number of free bytes and free inodes. */
export interface FreeSpace {
  readonly bytes: number;
  readonly files: number;
}

/** Watches the free space of the host for the data of this service and of the engine. */
export class HostDisk implements BeforeApplicationShutdown {
  private freeMb = Number.POSITIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly config: Pick<SandboxConfig, 'DISK_FREE_MIN_MB'>,
    private readonly logger: Logger,
    /** Returns this service's own folder, then the engine's. Unavailable folders are skipped. */
    private readonly folders: () => readonly string[],
  ) {}

  /** Returns the message for a command that cannot write because space is low, or null while there is enough space. */
  whyLow(): string | null {
    if (this.freeMb >= this.config.DISK_FREE_MIN_MB) return null;
    return (
      `the host has ${Math.floor(this.freeMb)} MiB of disk left and keeps ${this.config.DISK_FREE_MIN_MB} MiB free. ` +
      'No command can write files until there is more; deleting some helps'
    );
  }

  /** Returns the free space for the engine's volumes, or null if this service cannot see it. */
  async free(): Promise<FreeSpace | null> {
    for (const folder of this.folders().toReversed()) {
      try {
        const { bfree, bsize, ffree } = await statfs(folder);
        return { bytes: bfree * bsize, files: ffree };
      } catch (error) {
        this.logger.debug({ err: error, folder }, 'cannot tell how much space is left there');
      }
    }
    return null;
  }

  /**
   * Checks now, and regularly until the service stops. @param onLow is called at each check that finds too little space
   */
  async start(onLow: () => void): Promise<void> {
    await this.look(onLow);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.start(onLow), LOOK_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async look(onLow: () => void): Promise<void> {
    const wasLow = this.whyLow() !== null;
    this.freeMb = await this.least();
    if (this.whyLow() === null) return;
    if (!wasLow) this.logger.warn({ freeMb: Math.floor(this.freeMb) }, 'the disk is nearly full');
    onLow();
  }

  private async least(): Promise<number> {
    let freeMb = Number.POSITIVE_INFINITY;
    for (const folder of this.folders()) {
      try {
        const { bavail, bsize } = await statfs(folder);
        freeMb = Math.min(freeMb, (bavail * bsize) / MIB);
      } catch (error) {
        this.logger.debug({ err: error, folder }, 'cannot tell how much space is left there');
      }
    }
    return freeMb;
  }
}
