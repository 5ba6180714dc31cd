/** The maximum number of waiting items. Further items are refused, so that a flood costs no memory. */
const WAITING = 5_000;

interface Waiting<T, R> {
  readonly item: T;
  readonly done: (result: R) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Groups items that arrive while others are being handled, so that many of them share one commit. Groups are handled
 * one at a time, in order.
 */
export class Batcher<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private isBusy = false;

  constructor(
    private readonly handle: (items: readonly T[]) => Promise<readonly R[]>,
    private readonly most: number,
  ) {}

  get isFull(): boolean {
    return this.waiting.length >= WAITING;
  }

  add(item: T): Promise<R> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, this.most);
      try {
        const results = await this.handle(group.map(({ item }) => item));
        group.forEach(({ done }, at) => done(results[at] as R));
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    this.isBusy = false;
  }
}
