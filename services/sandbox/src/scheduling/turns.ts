/** Work that is done one after the other where it has the same key, in the order it came. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** `work` must not ask for a turn of the same key. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const over = mine.catch(() => undefined);
    this.last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }
}
