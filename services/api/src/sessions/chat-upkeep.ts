import { Injectable } from '@nestjs/common';
import { Part, type Sweeps } from '../part.js';
import type { ChatRunner } from '@aish/sessions';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { EventHub } from './event-hub.js';

/**
 * Does background work for the chats of this process: takes over chats without a driver, and stops chats that another
 * api was asked to stop.
 */
@Injectable()
export class ChatUpkeep {
  private readonly stopListening: () => void;
  private readonly sweeper: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Part('hub') hub: EventHub,
    @Part('driver') private readonly driver: ChatRunner,
    @Part('sweeps') { chatSweepEveryMs }: Sweeps,
    @Part('logger') private readonly logger: Logger,
  ) {
    this.stopListening = hub.listen((heard) => {
      if (heard !== 'gap' && heard.type === 'stop') void this.stop(heard.sessionId, heard.by);
    });
    this.sweep();
    this.sweeper = setInterval(() => this.sweep(), chatSweepEveryMs);
    this.sweeper.unref();
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
