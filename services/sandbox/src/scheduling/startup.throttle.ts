const YOUNG_MS = 250;
/** Starting several containers at once takes about a second on a small machine. */
const PATIENCE_MS = 1_500;

/** What one command tells of itself. Each may be called more than once. */
export interface Disturbance {
  /** Its container runs. It is young for a moment longer. */
  readonly begun: () => void;
  readonly over: () => void;
}

/**
 * Lets what nobody waits for, clearing away and making ready, give way to commands that have just begun: most are over
 * within milliseconds, and starting and removing containers takes more from the machine than they do.
 */
export class StartupThrottle {
  private young = 0;
  private waiting: Array<() => void> = [];

  /** The container of a command is about to be started. */
  disturb(): Disturbance {
    let timer: NodeJS.Timeout | undefined;
    let isCounted = true;
    const over = () => {
      clearTimeout(timer);
      if (!isCounted) return;
      isCounted = false;
      this.young--;
      if (this.young === 0) for (const wake of this.waiting.splice(0)) wake();
    };
    const begun = () => {
      timer ??= setTimeout(over, YOUNG_MS).unref();
    };
    this.young++;
    return { begun, over };
  }

  /** Resolves when no command is young, or after a while. */
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
