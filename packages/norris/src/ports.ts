import type { ActionPorts, AtBoundary } from '@aish/actions';
import type { Asker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import type { ToolContext } from '@aish/contracts/tools';
import type { Trust } from '@aish/contracts/trust';
import type { SharedLocks } from '@aish/database/shared-locks';
import type { ModelSlots } from './model-slots.js';

export interface DriverPorts extends ActionPorts {
  /** Those of this process; a lock costs no connection of its own. */
  readonly locks: SharedLocks;
  readonly asker: Asker;
  /** Whether the configuration lets a tool be called without asking, by its label. */
  readonly autoApproves: (label: string) => boolean;
  readonly slots: ModelSlots;
  /** How the model is told to use the memory of the goal's creator, the same for all of the goal; null: there is none. */
  readonly memory: (context: ToolContext) => Promise<string | null>;
  /** Tells the world; best effort, never awaited by the goal. */
  readonly publish: (notice: Notice) => void;
  /** Told of what nobody foresaw; the goal says it too. */
  readonly onError: (error: unknown, goalId: string) => void;
  /** Told at each boundary between two effects; see `announceBoundary`. */
  readonly at?: AtBoundary;
}

export interface DriverSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, where it cannot be taken up again later. */
  readonly elicitationWaitMs: number;
  /** The share of the window that descriptions of tools may take. */
  readonly toolShare: number;
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** How long to wait for a goal whose last driver is about to leave it, milliseconds. */
  readonly lockWaitMs: number;
  /** Whether what a person has granted runs without being asked about again. */
  readonly grants: boolean;
  /** The most that an admin leaves to commands of any goal. */
  readonly trustMax: Trust;
}

/** Where a goal stands when its driver leaves it. `wakeInMs`: when to come back, for a goal that waits. */
export interface DriveResult {
  readonly driven: boolean;
  readonly wakeInMs: number | null;
  readonly priority: Priority;
}
