import type { ActionPorts, AtBoundary } from '@aish/actions';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Trust } from '@aish/contracts/trust';
import type { SharedLocks } from '@aish/database/shared-locks';
import type { ModelPorts } from './ask-model.js';

/** What the driver needs from outside, for every kind of session. */
export interface SessionPorts extends ActionPorts, ModelPorts {
  /** Those of this process; a lock costs no connection of its own. */
  readonly locks: Pick<SharedLocks, 'tryHold'>;
  /** Called at each boundary between two effects; see `announceBoundary`. */
  readonly at?: AtBoundary;
}

export interface SessionSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, where it cannot be taken up again later. */
  readonly elicitationWaitMs: number;
  /** The share of a model's window that descriptions of tools may take. */
  readonly toolShare: number;
  /** Whether what a person has granted runs without being asked about again. */
  readonly grants: boolean;
  /** The most that an admin leaves to commands of any session. */
  readonly trustMax: Trust;
}
