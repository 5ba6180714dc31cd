import { Injectable } from '@nestjs/common';
import { Part, type Sweeps } from '../part.js';
import type { ChatRunner } from '@aish/sessions';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { EventHub } from './event-hub.js';

/**
 * Does background work for the chats of this process: takes over chats without a runner, and stops chats that another
 * api was asked to stop.
 */
@Injectable()
export class ChatUpkeep {
  private readonly stopListening: () => void;
  private readonly sweeper: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Part('hub') hub: EventHub,
    @Part('runner') private readonly runner: ChatRunner,
    @Part('sweeps') { chatSweepEveryMs }: Sweeps,
    @Part('logger') private readonly logger: Logger,
  ) {
    this.stopListening = hub.listen((notice) => {
      if (notice !== 'gap' && notice.type === 'stop') void this.stop(notice.sessionId, notice.by);
    });
    this.sweep();
    this.sweeper = setInterval(() => this.sweep(), chatSweepEveryMs);
    this.sweeper.unref();
  }

  async shutdown(): Promise<void> {
    clearInterval(this.sweeper);
    this.stopListening();
    await this.sweeping;
    await this.runner.shutdown();
  }

  private async stop(sessionId: string, by: string): Promise<void> {
    await this.quietly('stop a chat', this.runner.stop(sessionId, by));
  }

  private sweep(): void {
    this.sweeping = this.sweeping.then(() => this.quietly('look for chats without a runner', this.runner.sweep()));
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
