import { setTimeout as sleep } from 'node:timers/promises';
import { isAishError } from '@aish/contracts/problems';

/** People answer soon or much later: by then others have used the model. */
const FOR_MS = 10 * 60_000;
const EVERY_MS = 5_000;

/** Lets the model read what it will be asked, while a person answers a question of its goal. Best effort, once a question. */
export class ReadAhead {
  private readonly reading = new Map<string, AbortController>();

  /** @param onError told of what nobody foresaw. */
  constructor(
    private readonly onError: (error: unknown, goalId: string) => void,
    private readonly everyMs = EVERY_MS,
    private readonly forMs = FOR_MS,
  ) {}

  /**
   * @param read reads, if the model has nothing else to do; whether it did.
   * @param leave aborted when the worker ends.
   */
  begin(goalId: string, read: (signal: AbortSignal) => Promise<boolean>, leave: AbortSignal): void {
    this.end(goalId);
    const answered = new AbortController();
    this.reading.set(goalId, answered);
    const signal = AbortSignal.any([answered.signal, leave, AbortSignal.timeout(this.forMs)]);
    this.loop(read, signal)
      .catch((error: unknown) => {
        // What is wrong with the endpoint is told when its answer is needed.
        if (!signal.aborted && !isAishError(error)) this.onError(error, goalId);
      })
      .finally(() => {
        if (this.reading.get(goalId) === answered) this.reading.delete(goalId);
      });
  }

  /** The goal goes on, or is gone. */
  end(goalId: string): void {
    this.reading.get(goalId)?.abort();
    this.reading.delete(goalId);
  }

  private async loop(read: (signal: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!(await read(signal))) await sleep(this.everyMs, undefined, { signal, ref: false });
  }
}
