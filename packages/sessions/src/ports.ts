import type { ActionPorts, AtBoundary } from '@aish/actions';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Trust } from '@aish/contracts/trust';
import type { SharedLocks } from '@aish/database/shared-locks';
import type { ModelPorts } from './ask-model.js';

/** The services that the runner of every kind of session needs from outside. */
export interface SessionPorts extends ActionPorts, ModelPorts {
  /** The locks of this process. A lock needs no connection of its own. */
  readonly locks: Pick<SharedLocks, 'tryHold'>;
  /** Called at each boundary between two effects; see `announceBoundary`. */
  readonly at?: AtBoundary;
}

export interface SessionSettings {
  readonly presets: readonly Preset[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, if the call cannot be resumed later. */
  readonly elicitationWaitMs: number;
  /** The maximum share of a model's window for descriptions of tools. */
  readonly toolShare: number;
  /** Whether granted actions run without another decision. */
  readonly grants: boolean;
  /** The highest trust that an admin allows for commands of any session. */
  readonly trustMax: Trust;
}
