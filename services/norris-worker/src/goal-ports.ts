import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import type { Database } from '@aish/database/client';

/** The connections through which a worker queues and announces goals that it changes itself. */
export interface GoalPorts {
  readonly db: Database;
  readonly queueGoal: (goalId: string, priority: Priority) => Promise<void>;
  readonly publish: (notice: Notice) => void;
}
