import type { ChatDriver } from '@aish/sessions';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { EventHub } from './event-hub.js';

/**
 * What the chats of this process need that no request asks for: those that nobody drives are taken over, those that
 * another api was told to stop, or that nobody reads any more, are stopped.
 */
export class ChatUpkeep {
  private readonly stopListening: () => void;
  private readonly sweeper: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();

  /** @param settings stopOnDisconnect: whether a lost connection stops the exchange it was opened for. */
  constructor(
    hub: EventHub,
    private readonly driver: ChatDriver,
    private readonly settings: { readonly stopOnDisconnect: boolean; readonly sweepEveryMs: number },
    private readonly logger: Logger,
  ) {
    this.stopListening = hub.listen((heard) => {
      if (heard !== 'gap' && heard.type === 'stop') void this.stop(heard.sessionId, heard.by);
    });
    this.sweep();
    this.sweeper = setInterval(() => this.sweep(), settings.sweepEveryMs);
    this.sweeper.unref();
  }

  /** Whoever sent the message reads no more of the answer. */
  async left(sessionId: string, by: string): Promise<void> {
    if (this.settings.stopOnDisconnect) await this.stop(sessionId, by);
  }

  async shutdown(): Promise<void> {
    clearInterval(this.sweeper);
    this.stopListening();
    await this.sweeping;
    await this.driver.shutdown();
  }

  private async stop(sessionId: string, by: string): Promise<void> {
    await this.quietly('stop a chat', this.driver.stop(sessionId, by));
  }

  private sweep(): void {
    this.sweeping = this.sweeping.then(() => this.quietly('look for chats without a driver', this.driver.sweep()));
  }

  private async quietly(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (err) {
      if (err instanceof AishError && err.code === 'service_stopping') return;
      this.logger.warn({ err }, `could not ${what}`);
    }
  }
}
