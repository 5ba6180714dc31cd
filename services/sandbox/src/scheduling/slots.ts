import { AishError } from '@aish/contracts/problems';

interface Waiting {
  readonly start: () => void;
  readonly background: boolean;
}

/** So many at once, so many waiting; first come first served, but those that a person waits for before all others. */
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

  /** Whether a slot is free at once. */
  get hasRoom(): boolean {
    return this.taken < this.atOnce;
  }

  /** @throws AishError `too_many` when as many wait as may. */
  refuseIfFull(background = false): void {
    const before = background ? this.queue : this.queue.filter((each) => !each.background);
    if (this.hasRoom || before.length < this.queued) return;
    throw new AishError(
      'too_many',
      `${this.queue.length} commands wait for their turn, which is as many as may (RUNS_QUEUED)`,
      { retryAfterS: 2 },
    );
  }

  /**
   * Resolves when the next may begin, with what gives its slot back; with null when `signal` aborted before its turn.
   * @throws AishError `too_many` when as many wait as may.
   */
  async take(signal: AbortSignal, background = false): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (!this.hasRoom) {
      this.refuseIfFull(background);
      if (!(await this.turn(signal, background))) return null;
    } else this.taken++;
    return this.giver();
  }

  /** For what is there already and cannot wait. */
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
      // Counted here and not when it wakes, so that nobody slips in between.
      this.taken++;
      next.start();
    };
  }
}
