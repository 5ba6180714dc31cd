import { AishError } from '@aish/contracts/problems';

/** The time limits of a call: one for silence, and one for the whole call. The clock stops while people think. */
export class Deadline {
  private readonly controller = new AbortController();
  private idle: NodeJS.Timeout | undefined;
  private total: NodeJS.Timeout | undefined;
  private leftMs: number;
  private runningSinceMs = 0;
  private pauses = 0;

  constructor(
    private readonly idleMs: number,
    totalMs: number,
    private readonly what: string,
  ) {
    this.leftMs = totalMs;
    this.run();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resets the limit for silence. */
  touch(): void {
    if (this.pauses === 0) this.idle?.refresh();
  }

  /** Runs `wait`, whose time does not count. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    if (this.pauses === 0) this.halt();
    this.pauses += 1;
    try {
      return await wait();
    } finally {
      this.pauses -= 1;
      if (this.pauses === 0) this.run();
    }
  }

  end(): void {
    this.halt();
    // After this nothing starts the clock again.
    this.pauses = Number.POSITIVE_INFINITY;
  }

  private run(): void {
    this.runningSinceMs = performance.now();
    this.idle = setTimeout(() => this.expire(`no sign of life for ${this.idleMs} ms`), this.idleMs);
    this.total = setTimeout(() => this.expire('it took too long in all'), Math.max(1, this.leftMs));
  }

  private halt(): void {
    clearTimeout(this.idle);
    clearTimeout(this.total);
    this.leftMs -= performance.now() - this.runningSinceMs;
  }

  private expire(why: string): void {
    this.controller.abort(new AishError('mcp_timeout', `${this.what}: ${why}. The call may have been carried out`));
  }
}
