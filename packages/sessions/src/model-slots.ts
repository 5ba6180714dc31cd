import { AishError } from '@aish/contracts/problems';

/** Limits how many requests use one endpoint at once. Further requests wait in order. */
export class ModelSlots {
  private readonly endpoints = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  constructor(private readonly perEndpoint: number) {}

  /**
   * Runs `fn` when there is a free slot.
   *
   * @throws AishError `aborted` if `signal` aborts while the request waits.
   */
  async use<T>(endpoint: string, signal: AbortSignal, fn: () => Promise<T>): Promise<T> {
    await this.take(endpoint, signal);
    try {
      return await fn();
    } finally {
      this.free(endpoint);
    }
  }

  private take(endpoint: string, signal: AbortSignal): Promise<void> {
    const slots = this.endpoints.get(endpoint) ?? { taken: 0, waiting: [] };
    this.endpoints.set(endpoint, slots);
    if (slots.taken < this.perEndpoint) {
      slots.taken += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        slots.waiting.splice(slots.waiting.indexOf(go), 1);
        reject(new AishError('aborted', 'Stopped while waiting for the model'));
      };
      slots.waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the next request in the queue, or frees it. */
  private free(endpoint: string): void {
    const slots = this.endpoints.get(endpoint);
    if (slots === undefined) return;
    const next = slots.waiting.shift();
    if (next !== undefined) return next();
    slots.taken -= 1;
    if (slots.taken === 0) this.endpoints.delete(endpoint);
  }
}
