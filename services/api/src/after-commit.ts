import { Injectable } from '@nestjs/common';
import { Part } from './part.js';
import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import { advanceGoal } from '@aish/contracts/jobs';
import type { Logger } from '@aish/http';
import type { EventBus, QueueStore } from '@aish/queue';

/**
 * Does work after a commit: adds jobs and publishes notices. The database already has the change, so an unavailable
 * queue or bus fails no request. The workers' sweeper adds a lost job again, and streams read the database on their
 * own.
 */
@Injectable()
export class AfterCommit {
  constructor(
    @Part('queue') private readonly queue: QueueStore,
    @Part('bus') private readonly bus: EventBus,
    @Part('logger') private readonly logger: Logger,
  ) {}

  /** Adds the job that runs the goal. */
  async addGoalJob(goalId: string, priority: Priority = 'normal'): Promise<void> {
    await this.try('add the job of a goal', () => this.queue.add(advanceGoal, { goalId }, { priority }));
  }

  async publish(notice: Notice | null): Promise<void> {
    if (notice !== null) await this.try('publish a notice', () => this.bus.publish(notice));
  }

  private async try(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (err) {
      this.logger.warn({ err }, `could not ${what}; a sweeper will do it later`);
    }
  }
}
