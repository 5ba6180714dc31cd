import { AishError } from '@aish/contracts/problems';

export type Timeout = 'connect' | 'idle' | 'total';

const TIMED_OUT: Readonly<Record<Timeout, string>> = {
  connect: 'did not accept the connection within',
  idle: 'began its answer and then was silent for',
  total: 'did not finish within',
};

/** The longest possible timer. For longer times, setTimeout fires immediately. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Decides when to give up on one exchange with an endpoint: the caller's abort, the total timeout, or a shorter timeout
 * for a part of it. `signal.reason` is always the AishError that says which. Always close it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #total: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#fire(new AishError('aborted', 'The model request was cancelled'));
  /** Ends the current pause. */
  #cutPause: (() => void) | null = null;

  constructor(caller: AbortSignal, totalMs: number) {
    this.#caller = caller;
    this.#total = this.#timer('total', totalMs);
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts one of the shorter timeouts. The caller stops it. */
  start(timeout: Timeout, ms: number): { stop(): void } {
    const timer = this.#timer(timeout, ms);
    return { stop: () => clearTimeout(timer) };
  }

  /**
   * Waits for a pause. Only one pause can run at a time. Pauses happen every few tokens, so they add no listener of
   * their own.
   *
   * @throws the reason if the deadline fires first.
   */
  async pause(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#cutPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#cutPause = null;
    this.signal.throwIfAborted();
  }

  /** Stops the timers and everything that still runs under this deadline. */
  close(): void {
    clearTimeout(this.#total);
    this.#caller.removeEventListener('abort', this.#onAbort);
    this.#fire(new AishError('aborted', 'The exchange is over'));
  }

  #fire(reason: AishError): void {
    this.#controller.abort(reason);
    this.#cutPause?.();
  }

  #timer(timeout: Timeout, ms: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        const message = `The model endpoint ${TIMED_OUT[timeout]} ${ms} ms`;
        this.#fire(new AishError('model_timeout', message, { timeout, afterMs: ms }));
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
  }
}
