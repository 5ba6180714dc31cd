import { setTimeout as sleep } from 'node:timers/promises';

/** Work that many ask for at once: done one at a time, once more for all who asked while it was being done. */
export class Coalesced {
  private running: Promise<void> | null = null;
  private isWanted = false;

  constructor(
    private readonly work: () => Promise<void>,
    /** Pause after each time, milliseconds. */
    private readonly gapMs: number,
  ) {}

  /** Resolves when the work has been done at least once from its beginning. */
  ask(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.loop().finally(() => (this.running = null));
    return this.running;
  }

  private async loop(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      await this.work();
      await sleep(this.gapMs, undefined, { ref: false });
    }
  }
}
