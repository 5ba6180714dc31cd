import { AishError } from '@aish/contracts/problems';

/** How many questions go to one endpoint at once; more wait, in the order they came. */
export class ModelSlots {
  private readonly endpoints = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  constructor(private readonly perEndpoint: number) {}

  /** Runs `fn` when there is a slot. @throws AishError `aborted` when `signal` aborts while it waits. */
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
        reject(new AishError('aborted', 'Stopped while waiting for a slot of the model'));
      };
      slots.waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The slot goes to the next in line, or is free. */
  private free(endpoint: string): void {
    const slots = this.endpoints.get(endpoint);
    if (slots === undefined) return;
    const next = slots.waiting.shift();
    if (next !== undefined) return next();
    slots.taken -= 1;
    if (slots.taken === 0) this.endpoints.delete(endpoint);
  }
}
