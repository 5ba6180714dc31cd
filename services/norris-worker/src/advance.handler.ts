import { advanceGoal, type AdvanceGoal } from '@aish/contracts/jobs';
import type { GoalRunner } from '@aish/sessions';
import type { EventBus, QueueStore } from '@aish/queue';

/** Runs the goal of a job. A person's cancel, received over the bus, stops the goal at once. */
export class AdvanceHandler {
  private readonly running = new Map<string, AbortController>();
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    private readonly runner: Pick<GoalRunner, 'run'>,
    private readonly queue: QueueStore,
    private readonly bus: EventBus,
  ) {}

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe((notice) => {
      if (notice.type === 'cancel') this.running.get(notice.goalId)?.abort();
    });
  }

  async stop(): Promise<void> {
    await this.unsubscribe?.();
  }

  async handle({ goalId }: AdvanceGoal, signal: AbortSignal): Promise<void> {
    // Only one process runs a goal at a time: a second job for the goal finds the lock taken and returns.
    const cancelled = new AbortController();
    const mine = !this.running.has(goalId);
    if (mine) this.running.set(goalId, cancelled);
    try {
      const { wakeInMs, priority } = await this.runner.run(goalId, AbortSignal.any([signal, cancelled.signal]));
      if (wakeInMs !== null) await this.queue.add(advanceGoal, { goalId }, { delayMs: wakeInMs, priority });
    } finally {
      if (mine) this.running.delete(goalId);
    }
  }
}
