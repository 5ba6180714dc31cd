const YOUNG_MS = 250;
/** Starting several containers at once takes about a second on a small machine. */
const PATIENCE_MS = 1_500;

/** Reports on one command. Each function may be called more than once. */
export interface StartingCommand {
  /** Must be called when the command's container runs. The command still counts as starting for a moment. */
  readonly begun: () => void;
  readonly over: () => void;
}

/**
 * Delays background work (cleanup, pre-warming) while commands are starting. Most commands take milliseconds, and
 * starting or removing containers uses more of the machine than the commands do.
 */
export class StartupThrottle {
  private young = 0;
  private waiting: Array<() => void> = [];

  /** Must be called when the container of a command is about to start. */
  disturb(): StartingCommand {
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

  /** Resolves when no command is starting, or after the maximum wait. */
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
