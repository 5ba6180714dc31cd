import { Notice } from '@aish/contracts';

interface Subscriber {
  readonly handler: (notice: Notice) => void;
  readonly onGap: (() => void) | undefined;
}

/** The subscribers of one connection. */
export class Subscribers {
  private readonly all = new Set<Subscriber>();

  constructor(private readonly onError: (error: unknown) => void) {}

  add(handler: Subscriber['handler'], onGap: Subscriber['onGap']): () => void {
    const subscriber = { handler, onGap };
    this.all.add(subscriber);
    return () => this.all.delete(subscriber);
  }

  /** Hands a message to everyone. What is no notice is reported and dropped: it is somebody else's. */
  deliver(message: string): void {
    let notice: Notice;
    try {
      notice = Notice.parse(JSON.parse(message));
    } catch (error) {
      this.onError(error);
      return;
    }
    for (const { handler } of this.all) handler(notice);
  }

  gap(): void {
    for (const { onGap } of this.all) onGap?.();
  }
}
