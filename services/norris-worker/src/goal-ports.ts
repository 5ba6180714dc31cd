import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import type { Database } from '@aish/database/client';

/** How goals that a worker changes by itself come to be driven, and heard of. */
export interface GoalPorts {
  readonly db: Database;
  readonly drive: (goalId: string, priority: Priority) => Promise<void>;
  readonly publish: (notice: Notice) => void;
}
