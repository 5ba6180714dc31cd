import { AishError } from '@aish/contracts/problems';

interface Waiting {
  readonly start: () => void;
  readonly background: boolean;
}

/**
 * Limits how many callers run and how many wait. Callers are served in order of arrival, but those that a person waits
 * for come first.
 */
export class Slots {
  private taken = 0;
  private readonly queue: Waiting[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly queued: number,
  ) {}

  get running(): number {
    return this.taken;
  }

  /** Whether anybody waits for a slot. */
  get isCrowded(): boolean {
    return this.queue.length > 0;
  }

  /** Whether a slot is free now. */
  get hasRoom(): boolean {
    return this.taken < this.atOnce;
  }

  /** @throws AishError `too_many` if the queue is full */
  refuseIfFull(background = false): void {
    const before = background ? this.queue : this.queue.filter((each) => !each.background);
    if (this.hasRoom || before.length < this.queued) return;
    throw new AishError(
      'too_many',
      `${this.queue.length} commands are already waiting, which is the maximum (RUNS_QUEUED). Try again later`,
      {
        retryAfterS: 2,
      },
    );
  }

  /**
   * Resolves when the caller may begin, with a function that frees the slot. Resolves with null if `signal` aborted
   * before.
   * @throws AishError `too_many` if the queue is full
   */
  async take(signal: AbortSignal, background = false): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (!this.hasRoom) {
      this.refuseIfFull(background);
      if (!(await this.turn(signal, background))) return null;
    } else this.taken++;
    return this.giver();
  }

  /** Takes a slot for work that already runs and cannot wait. */
  takeOver(): () => void {
    this.taken++;
    return this.giver();
  }

  private turn(signal: AbortSignal, background: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        background,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        },
      };
      const giveUp = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        resolve(false);
      };
      const behind = background ? -1 : this.queue.findIndex((each) => each.background);
      this.queue.splice(behind < 0 ? this.queue.length : behind, 0, waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  private giver(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.taken--;
      if (!this.hasRoom) return;
      const next = this.queue.shift();
      if (next === undefined) return;
      // The slot is counted here and not when the caller wakes up, so that nobody takes the slot in between.
      this.taken++;
      next.start();
    };
  }
}
