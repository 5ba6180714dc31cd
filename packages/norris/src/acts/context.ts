import type { Elicitation, ElicitationAnswer, EventBody, LiveBody, Preset, ToolContext, Turn } from '@aish/contracts';
import type { Asker } from '@aish/broker';
import type { Sandbox, Workspaces } from '@aish/sandbox-client';
import type { Boundary } from '../boundaries.js';
import type { SafetyGate } from '../gate.js';
import type { GoalEvent, Judgement } from '../machine/events.js';
import type { MachineAction } from '../machine/state.js';
import type { ModelSlots } from '../model-slots.js';
import type { GoalTools, OfferedTool, ToolPolicy } from '../tools.port.js';

export interface ActPorts {
  readonly asker: Asker;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly gate: SafetyGate;
  readonly tools: GoalTools;
  readonly policy: ToolPolicy;
  readonly slots: ModelSlots;
}

export interface ActContext {
  readonly goalId: string;
  readonly preset: Preset;
  readonly step: number;
  readonly workspaceId: string;
  /** Folders of the host that its commands get, by name. */
  readonly hostFolders: readonly string[];
  readonly turns: readonly Turn[];
  readonly commandTimeoutMs: number;
  readonly toolContext: ToolContext;
  /** Descriptions of tools that earlier requests held, and names of tools that the model has found since. */
  readonly offered: readonly OfferedTool[];
  readonly wanted: readonly string[];
  /** How to use the memory, for the system message. */
  readonly memory: (context: ToolContext) => Promise<string | null>;
  readonly live: (body: LiveBody) => void;
  /** Whether a person let an action through. */
  readonly wasApproved: (actionId: string) => Promise<boolean>;
  /** Writes an event that decides nothing. */
  readonly note: (body: EventBody) => Promise<void>;
  /** Asks a person while the call is kept open. */
  readonly askMeanwhile: (
    action: MachineAction,
    question: Elicitation,
    gone: AbortSignal,
  ) => Promise<ElicitationAnswer>;
  readonly at: (boundary: Boundary) => Promise<void>;
  /** A person's standing word about an action that would halt. */
  readonly grantFor: (action: string, ruleId: string | null) => Promise<Judgement['grant']>;
}

/** What came of an act, and what the driver keeps in mind for the next request. */
export interface Acted {
  readonly event: GoalEvent;
  /** How long the one who refused wants to be left alone. */
  readonly retryAfterMs?: number;
  readonly offered?: readonly OfferedTool[];
  readonly found?: readonly string[];
}
