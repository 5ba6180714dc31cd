import type { Notice } from '@aish/contracts';
import type { EventBus } from '@aish/queue';

type Listener = (notice: Notice | 'gap') => void;

/** One subscription to the bus, shared by all open streams of this process. */
export class EventHub {
  private readonly listeners = new Set<Listener>();
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(private readonly bus: EventBus) {}

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe(
      (notice) => this.tell(notice),
      () => this.tell('gap'),
    );
  }

  async stop(): Promise<void> {
    await this.unsubscribe?.();
    this.listeners.clear();
  }

  /** `gap`: notices may have been missed, so read the database again. Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(notice: Notice | 'gap'): void {
    for (const listener of this.listeners) listener(notice);
  }
}
