const YOUNG_MS = 250;
const PATIENCE_MS = 500;

/**
 * Lets what nobody waits for, clearing away and making ready, give way to commands that have just begun: most are over
 * within milliseconds, and starting and removing containers takes more from the machine than they do.
 */
export class Calm {
  private young = 0;
  private waiting: Array<() => void> = [];

  /** A command begins. @returns what is to be called at its end. */
  disturb(): () => void {
    let isCounted = true;
    const settle = () => {
      clearTimeout(timer);
      if (!isCounted) return;
      isCounted = false;
      this.young--;
      if (this.young === 0) for (const wake of this.waiting.splice(0)) wake();
    };
    const timer = setTimeout(settle, YOUNG_MS).unref();
    this.young++;
    return settle;
  }

  /** Resolves when no command is young, or after half a second. */
  async come(): Promise<void> {
    if (this.young === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    clearTimeout(timer);
  }
}
