import { setTimeout as sleep } from 'node:timers/promises';
import { isAishError } from '@aish/contracts/problems';

/**
 * The time limit for reading ahead, in milliseconds. People answer soon or much later. After a long time, others have
 * used the model, and its cache is gone.
 */
const FOR_MS = 10 * 60_000;
const EVERY_MS = 5_000;

/**
 * Lets the model read the next question while a person answers a decision of its goal. It does so at most once per
 * decision, and a failure does no harm.
 */
export class ReadAhead {
  private readonly reading = new Map<string, AbortController>();

  /** @param onError receives unexpected errors. */
  constructor(
    private readonly onError: (error: unknown, goalId: string) => void,
    private readonly everyMs = EVERY_MS,
    private readonly forMs = FOR_MS,
  ) {}

  /**
   * @param read reads ahead if the model is idle, and returns whether it did.
   * @param leave aborts when the worker ends.
   */
  begin(goalId: string, read: (signal: AbortSignal) => Promise<boolean>, leave: AbortSignal): void {
    this.end(goalId);
    const answered = new AbortController();
    this.reading.set(goalId, answered);
    const signal = AbortSignal.any([answered.signal, leave, AbortSignal.timeout(this.forMs)]);
    this.loop(read, signal)
      .catch((error: unknown) => {
        // An error of the endpoint is reported when its answer is needed.
        if (!signal.aborted && !isAishError(error)) this.onError(error, goalId);
      })
      .finally(() => {
        if (this.reading.get(goalId) === answered) this.reading.delete(goalId);
      });
  }

  /** Ends reading ahead. Call this when the goal continues or no longer exists. */
  end(goalId: string): void {
    this.reading.get(goalId)?.abort();
    this.reading.delete(goalId);
  }

  private async loop(read: (signal: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!(await read(signal))) await sleep(this.everyMs, undefined, { signal, ref: false });
  }
}
