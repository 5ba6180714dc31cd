import { advanceGoal, type AdvanceGoal } from '@aish/contracts/jobs';
import type { GoalRunner } from '@aish/sessions';
import type { EventBus, QueueStore } from '@aish/queue';

/** Drives the goal of a job. A person's cancel, told over the bus, stops the driving at once. */
export class AdvanceHandler {
  private readonly driving = new Map<string, AbortController>();
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    private readonly driver: Pick<GoalRunner, 'drive'>,
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
    // One process drives a goal once: a second job for it finds the lock taken and leaves.
    const cancelled = new AbortController();
    const mine = !this.driving.has(goalId);
    if (mine) this.driving.set(goalId, cancelled);
    try {
      const { wakeInMs, priority } = await this.driver.drive(goalId, AbortSignal.any([signal, cancelled.signal]));
      if (wakeInMs !== null) await this.queue.add(advanceGoal, { goalId }, { delayMs: wakeInMs, priority });
    } finally {
      if (mine) this.driving.delete(goalId);
    }
  }
}
