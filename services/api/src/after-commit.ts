import { Injectable } from '@nestjs/common';
import { Part } from './part.js';
import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import { advanceGoal } from '@aish/contracts/jobs';
import type { Logger } from '@aish/http';
import type { EventBus, QueueStore } from '@aish/queue';

/**
 * What is said after a commit. The database has it already, so a queue or bus that is away fails no request: the
 * workers' sweeper adds a lost job, and streams look at the database by themselves.
 */
@Injectable()
export class AfterCommit {
  constructor(
    @Part('queue') private readonly queue: QueueStore,
    @Part('bus') private readonly bus: EventBus,
    @Part('logger') private readonly logger: Logger,
  ) {}

  /** Has the goal driven. */
  async drive(goalId: string, priority: Priority = 'normal'): Promise<void> {
    await this.try('add the job of a goal', () => this.queue.add(advanceGoal, { goalId }, { priority }));
  }

  async tell(notice: Notice | null): Promise<void> {
    if (notice !== null) await this.try('publish a notice', () => this.bus.publish(notice));
  }

  private async try(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (err) {
      this.logger.warn({ err }, `could not ${what}; it is made good later`);
    }
  }
}
