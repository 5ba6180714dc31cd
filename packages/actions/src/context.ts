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

/** Who signs what commands do on other hosts, and how that gets there. */
export interface HostPorts {
  readonly authority: HostAuthority;
  readonly reach: Hosts;
}
import type { SessionSecrets } from './session-secrets.js';

/** What actions need of the world. */
export interface ActionPorts {
  readonly db: Database;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly gate: SafetyGate;
  readonly toolbox: Toolbox;
  /** Without it commands reach no other host. */
  readonly hosts?: HostPorts | undefined;
  readonly secrets: SessionSecrets;
}

/** What runs without asking. The gate has the last word: what is destructive needs a grant or a verdict. */
export interface Permissions {
  /** Whether a person is asked about commands that nothing speaks against. */
  readonly confirmCommands: boolean;
  /** Whether of those also about what only reads. */
  readonly confirmReads?: boolean;
  /** What a person left to commands that can be taken back; no model sets it. */
  readonly trust: Trust;
  /** Whether the configuration lets a tool be called, by its label. */
  readonly autoApproves: (label: string) => boolean;
  /** Tools that this session was granted. */
  readonly toolGrants: () => Promise<readonly Approval[]>;
  /** A person's standing word about an action that would be asked about. */
  readonly grantFor: (what: Granted) => Promise<ActionGrant | null>;
  /** Whether rules of its space want more than one person for what is judged so: then nobody's standing word counts. */
  readonly needsSeveral: (classification: Classification) => Promise<boolean>;
  /** The same about variables of earlier commands, by their digest: what is safe alone runs with them. */
  readonly grantForVariables: (digest: string) => Promise<ActionGrant | null>;
}

/** The session whose actions they are, as its driver knows it now. */
export interface ActionContext {
  readonly session: ToolContext;
  readonly step: number;
  readonly stepBudget: number | null;
  /** The model's words that led to the actions; a person who is asked sees their end. */
  readonly words: string;
  /** Folders of the host that commands get, by name. */
  readonly hostFolders: readonly string[];
  /** Other hosts that commands may use, by name. */
  readonly hosts: readonly string[];
  readonly commandTimeoutMs: number;
  /** How long a call stays open for the answer to its server's question, where it cannot be taken up again later. */
  readonly elicitationWaitMs: number;
  /** What such a question becomes when nobody answers. */
  readonly haltExpiry: HaltExpiry | null;
  readonly permissions: Permissions;
  readonly live: (body: LiveBody) => void;
  /** Writes as the session's driver, with the events that `work` gives back, and tells of them. */
  readonly write: (work: (tx: Tx) => Promise<readonly EventBody[]>) => Promise<void>;
  readonly at: (boundary: Boundary) => Promise<void>;
}

const CONTEXT_LINES = 12;

/** The last lines that the model wrote. They are shown to the person who decides. */
export function lastLines(words: string): string {
  return words.trimEnd().split('\n').slice(-CONTEXT_LINES).join('\n');
}
