import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import type { ToolContext } from '@aish/contracts/tools';
import type { ModelSlots } from '../model-slots.js';
import type { SessionPorts, SessionSettings } from '../ports.js';

export interface GoalDriverPorts extends SessionPorts {
  readonly slots: ModelSlots;
  /** How the model is told to use the memory of the goal's creator, the same for all of the goal; null: there is none. */
  readonly memory: (context: ToolContext) => Promise<string | null>;
  /** Tells the world; best effort, never awaited by the goal. */
  readonly publish: (notice: Notice) => void;
  /** Told of what nobody foresaw; the goal says it too. */
  readonly onError: (error: unknown, goalId: string) => void;
}

export interface GoalDriverSettings extends SessionSettings {
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** How long to wait for a goal whose last driver is about to leave it, milliseconds. */
  readonly lockWaitMs: number;
}

/** Where a goal stands when its driver leaves it. `wakeInMs`: when to come back, for a goal that waits. */
export interface DriveResult {
  readonly driven: boolean;
  readonly wakeInMs: number | null;
  readonly priority: Priority;
}
