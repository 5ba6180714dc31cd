import * as z from 'zod';
import { ApprovalRule } from './approvals.js';
import { ChangeWindow } from './change-windows.js';
import { EscalationStep } from './escalation.js';
import { PresetName, TOKEN_BUDGET_MAX } from './goals.js';
import { STEP_BUDGET_MAX } from './limits.js';
import { HostFolderNames } from './host-folders.js';
import { HostNames } from './hosts.js';
import { ImageName, RunLimits } from './images.js';
import { SpaceName } from './space-name.js';
import { McpAlias } from './mcp-config.js';
import { NetworkPolicy } from './network.js';
import { SessionSecrets } from './secrets.js';
import { TokenName } from './tokens.js';

/** People by their owner name: the token's owner, or else its own name. Null: everyone whose token allows it. */
const People = z.array(TokenName).max(100).nullable();

/** The access that goals and chats of a space start with, and who may work in it. */
const access = {
  /** Destinations that commands may reach over HTTP and HTTPS. */
  network: NetworkPolicy,
  hostFolders: HostFolderNames.unwrap(),
  hosts: HostNames.unwrap(),
  /** Names of secrets that commands may use. */
  secrets: SessionSecrets.shape.names,
  /** The image of the space's commands; null for the sandbox’s own image. */
  image: ImageName.nullable(),
  limits: RunLimits,
  /** Aliases of the MCP servers whose tools models get; null for all servers. */
  mcpServers: z.array(McpAlias).max(64).nullable(),
  /** The settings from here on are defaults for goals and chats. Null means the same as without a space. */
  preset: PresetName.nullable(),
  stepBudget: z.int().min(1).max(STEP_BUDGET_MAX).nullable(),
  tokenBudget: z.int().min(1).max(TOKEN_BUDGET_MAX).nullable(),
  /** Instructions that the model gets at the start. */
  instructions: z.string().max(8_000),
  users: People,
  deciders: People,
  /** The change windows. Approved actions that wait for a window run in them. */
  windows: z.array(ChangeWindow).max(20),
  /** Rules about the approval of actions, if one person is not enough or some people do not count. */
  approvals: z.array(ApprovalRule).max(20),
  /** The people who are notified next about a decision that nobody answers. */
  escalation: z.array(EscalationStep).max(10),
};

export const Space = z
  .object({
    name: SpaceName,
    ...access,
    /** The person who last set the access; null if nobody has. */
    changedBy: z.string().nullable(),
    changedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Space' });
export type Space = z.infer<typeof Space>;

/** Changes the settings of a space. Absent fields stay unchanged. A space that does not exist is created. */
export const SetSpace = z
  .strictObject(access)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Say what to change')
  .meta({ id: 'SetSpace' });
export type SetSpace = z.infer<typeof SetSpace>;

export const SpaceList = z.object({ items: z.array(Space) }).meta({ id: 'SpaceList' });
export type SpaceList = z.infer<typeof SpaceList>;

/** A space without settings: it has no access, and everyone may work in it. */
export function emptySpace(name: string): Space {
  return {
    name,
    network: { mode: 'none' },
    hostFolders: [],
    hosts: [],
    secrets: [],
    image: null,
    limits: {},
    mcpServers: null,
    preset: null,
    stepBudget: null,
    tokenBudget: null,
    instructions: '',
    users: null,
    deciders: null,
    windows: [],
    approvals: [],
    escalation: [],
    changedBy: null,
    changedAt: null,
  };
}

/** Settings that a goal or a chat requests for itself. */
export interface SpaceOverrides {
  readonly hostFolders?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly preset?: string | undefined;
  readonly stepBudget?: number | undefined;
  readonly tokenBudget?: number | undefined;
}

/**
 * Returns the settings of a space with the requests of a goal or a chat applied. Folders and hosts are added,
 * everything else is replaced.
 */
export function applyOverrides(space: Space, asked: SpaceOverrides) {
  return {
    space,
    hostFolders: [...new Set([...space.hostFolders, ...(asked.hostFolders ?? [])])],
    hosts: [...new Set([...space.hosts, ...(asked.hosts ?? [])])],
    preset: asked.preset ?? space.preset ?? undefined,
    stepBudget: asked.stepBudget ?? space.stepBudget ?? undefined,
    tokenBudget: asked.tokenBudget ?? space.tokenBudget ?? undefined,
  };
}
