import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import type { ToolContext } from '@aish/contracts/tools';
import type { ModelSlots } from '../model-slots.js';
import type { SessionPorts, SessionSettings } from '../ports.js';

export interface GoalRunPorts extends SessionPorts {
  readonly slots: ModelSlots;
  /**
   * Returns how the model should use the memory of the goal's creator; null if there is no memory. The result stays the
   * same for the whole goal.
   */
  readonly memory: (context: ToolContext) => Promise<string | null>;
  /** Publishes a notice. Best effort: the goal never waits for it. */
  readonly publish: (notice: Notice) => void;
  /** Receives unexpected errors. The goal reports them too. */
  readonly onError: (error: unknown, goalId: string) => void;
}

export interface GoalRunSettings extends SessionSettings {
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** How long to wait for a goal whose last runner is about to leave it, in milliseconds. */
  readonly lockWaitMs: number;
}

/** The state of a goal when its runner leaves it. `wakeInMs` says when to return to a goal that waits. */
export interface GoalRunResult {
  readonly ran: boolean;
  readonly wakeInMs: number | null;
  readonly priority: Priority;
}
