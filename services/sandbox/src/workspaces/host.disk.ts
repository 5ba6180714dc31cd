import { statfs } from 'node:fs/promises';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';

const LOOK_EVERY_MS = 2_000;
const MIB = 2 ** 20;

/** Bytes, and files that may still be made. */
export interface Free {
  readonly bytes: number;
  readonly files: number;
}

/** How much space the host has left where this service and the engine keep what they have. */
export class HostDisk implements BeforeApplicationShutdown {
  private freeMb = Number.POSITIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly config: Pick<SandboxConfig, 'DISK_FREE_MIN_MB'>,
    private readonly logger: Logger,
    /** This service's own first, then the engine's; one that cannot be asked is passed over. */
    private readonly folders: () => readonly string[],
  ) {}

  /** The message for a command that cannot write because of it; null while there is enough space. */
  whyLow(): string | null {
    if (this.freeMb >= this.config.DISK_FREE_MIN_MB) return null;
    return (
      `the host has ${Math.floor(this.freeMb)} MiB of disk left and keeps ${this.config.DISK_FREE_MIN_MB} MiB free. ` +
      'No command can write files until there is more; deleting some helps'
    );
  }

  /** What is left where the engine has its volumes, as far as this service can see that; null when it cannot. */
  async free(): Promise<Free | null> {
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

  /** Looks now, and from time to time until the service stops. @param onLow called at each look that finds too little. */
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
