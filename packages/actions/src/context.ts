import type { EventBody, LiveBody } from '@aish/contracts/events';
import type { HaltExpiry } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import type { ToolContext } from '@aish/contracts/tools';
import type { Trust } from '@aish/contracts/trust';
import type { Database } from '@aish/database/client';
import type { Granted } from '@aish/database/grants.repository';
import type { Tx } from '@aish/database/tx';
import type { Hosts, Sandbox, Workspaces } from '@aish/sandbox-client';
import type { Approval, Toolbox } from '@aish/tools';
import type { ActionGrant } from './action.js';
import type { Boundary } from './boundaries.js';
import type { SafetyGate } from './gate.js';
import type { HostAuthority } from './hosts/authority.js';

/** Signs commands for other hosts, and delivers the signatures. */
export interface HostPorts {
  readonly authority: HostAuthority;
  readonly bridge: Hosts;
}
import type { SessionSecrets } from './session-secrets.js';

/** The services that actions need. */
export interface ActionPorts {
  readonly db: Database;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly gate: SafetyGate;
  readonly toolbox: Toolbox;
  /** The ports to hosts. If absent, commands reach no other host. */
  readonly hosts?: HostPorts | undefined;
  readonly secrets: SessionSecrets;
}

/**
 * The actions that may run without a question. The gate can still stop them: a destructive action needs a grant or a
 * verdict.
 */
export interface Permissions {
  /** Whether a person is asked about commands without findings. */
  readonly confirmCommands: boolean;
  /** Whether a person is also asked about commands that only read. */
  readonly confirmReads?: boolean;
  /** Whether only actions run that change nothing, because nobody has accepted the goal's plan. */
  readonly onlyLooks?: boolean;
  /** How much a person allows for commands that can be undone. No model can set it. */
  readonly trust: Trust;
  /** Whether the configuration approves a tool, by its label. */
  readonly autoApproves: (label: string) => boolean;
  /** The tools granted in this session. */
  readonly toolGrants: () => Promise<readonly Approval[]>;
  /** Returns the grant for an action that aish would ask about; null if there is none. */
  readonly grantFor: (what: Granted) => Promise<ActionGrant | null>;
  /**
   * Whether rules of the space require several people, or a person other than the author, for this classification. Then
   * no grant counts.
   */
  readonly forbidsGrants: (classification: Classification) => Promise<boolean>;
  /** The grant for carried variables, by their digest. A command that is safe without them then runs with them. */
  readonly grantForVariables: (digest: string) => Promise<ActionGrant | null>;
}

/** The session of the actions, in its current state. */
export interface ActionContext {
  readonly session: ToolContext;
  readonly step: number;
  readonly stepBudget: number | null;
  /** The text that the model wrote before the actions. A person who is asked sees its end. */
  readonly words: string;
  /** Names of the host folders for commands. */
  readonly hostFolders: readonly string[];
  /** Names of the hosts that commands may use. */
  readonly hosts: readonly string[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, if it cannot be resumed later. */
  readonly elicitationWaitMs: number;
  /** The verdict on a server's question if nobody answers. */
  readonly haltExpiry: HaltExpiry | null;
  readonly permissions: Permissions;
  readonly live: (body: LiveBody) => void;
  /**
   * Writes in the role of the session's runner, with the events that `work` returns, and publishes a notice about them.
   */
  readonly write: (work: (tx: Tx) => Promise<readonly EventBody[]>) => Promise<void>;
  readonly at: (boundary: Boundary) => Promise<void>;
}

const CONTEXT_LINES = 12;

/** Returns the last lines that the model wrote. They are shown to the person who decides. */
export function lastLines(words: string): string {
  return words.trimEnd().split('\n').slice(-CONTEXT_LINES).join('\n');
}
