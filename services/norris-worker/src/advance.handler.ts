import { advanceGoal, type AdvanceGoal } from '@aish/contracts/jobs';
import type { GoalRunner } from '@aish/sessions';
import type { EventBus, QueueStore } from '@aish/queue';

/** Drives the goal of a job. A person's cancel, received over the bus, stops the goal at once. */
export class AdvanceHandler {
  private readonly driving = new Map<string, AbortController>();
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    private readonly driver: Pick<GoalRunner, 'run'>,
    private readonly queue: QueueStore,
    private readonly bus: EventBus,
  ) {}

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe((notice) => {
      if (notice.type === 'cancel') this.driving.get(notice.goalId)?.abort();
    });
  }

  async stop(): Promise<void> {
    await this.unsubscribe?.();
  }

  async handle({ goalId }: AdvanceGoal, signal: AbortSignal): Promise<void> {
    // Only one process drives a goal at a time: a second job for the goal finds the lock taken and returns.
    const cancelled = new AbortController();
    const mine = !this.driving.has(goalId);
    if (mine) this.driving.set(goalId, cancelled);
    try {
      const { wakeInMs, priority } = await this.driver.run(goalId, AbortSignal.any([signal, cancelled.signal]));
      if (wakeInMs !== null) await this.queue.add(advanceGoal, { goalId }, { delayMs: wakeInMs, priority });
    } finally {
      if (mine) this.driving.delete(goalId);
    }
  }
}
