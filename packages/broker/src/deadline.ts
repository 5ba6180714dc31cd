import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts';

export type Timeout = 'connect' | 'idle' | 'total';

const TIMED_OUT: Readonly<Record<Timeout, string>> = {
  connect: 'did not take the connection within',
  idle: 'began its answer and then was silent for',
  total: 'did not finish within',
};

/** setTimeout fires at once when asked for more. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * When to give up on one exchange with an endpoint: the caller's abort, the total timeout, or one of the shorter ones
 * that are set on the way. `signal.reason` is always the AishError that tells which. To be closed, always.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #total: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#controller.abort(new AishError('aborted', 'The model request was cancelled'));

  constructor(caller: AbortSignal, totalMs: number) {
    this.#caller = caller;
    this.#total = this.#timer('total', totalMs);
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts one of the shorter timeouts; the caller stops it. */
  start(timeout: Timeout, ms: number): { stop(): void } {
    const timer = this.#timer(timeout, ms);
    return { stop: () => clearTimeout(timer) };
  }

  /** @throws the reason when it comes first. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch((error: unknown) => {
      throw this.signal.aborted ? this.signal.reason : error;
    });
  }

  /** Stops the timers, and whatever still runs under this deadline. */
  close(): void {
    clearTimeout(this.#total);
    this.#caller.removeEventListener('abort', this.#onAbort);
    this.#controller.abort(new AishError('aborted', 'The exchange is over'));
  }

  #timer(timeout: Timeout, ms: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        const message = `The model endpoint ${TIMED_OUT[timeout]} ${ms} ms`;
        this.#controller.abort(new AishError('model_timeout', message, { timeout, afterMs: ms }));
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
  }
}
