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

/** People by the name of their memory: their token's, unless that has another owner. Null: everyone whose token may. */
const People = z.array(TokenName).max(100).nullable();

/** What goals and chats of a space begin with, and who may work in it. */
const reach = {
  /** What commands reach over HTTP and HTTPS. */
  network: NetworkPolicy,
  hostFolders: HostFolderNames.unwrap(),
  hosts: HostNames.unwrap(),
  /** Names of secrets that commands may use. */
  secrets: SessionSecrets.shape.names,
  /** What commands run in; null: the sandbox’s own image. */
  image: ImageName.nullable(),
  limits: RunLimits,
  /** Aliases of MCP servers whose tools models have; null: those of all servers. */
  mcpServers: z.array(McpAlias).max(64).nullable(),
  /** What applies where a goal or a chat says nothing else; null: the same as without a space. */
  preset: PresetName.nullable(),
  stepBudget: z.int().min(1).max(STEP_BUDGET_MAX).nullable(),
  tokenBudget: z.int().min(1).max(TOKEN_BUDGET_MAX).nullable(),
  /** Told to the model at the start. */
  instructions: z.string().max(8_000),
  users: People,
  deciders: People,
  /** When what a person lets through “in the window” runs. */
  windows: z.array(ChangeWindow).max(20),
  /** Who has to let something run, where one person is not enough or not everyone counts. */
  approvals: z.array(ApprovalRule).max(20),
  /** Who is told next of a question that nobody answers. */
  escalation: z.array(EscalationStep).max(10),
};

export const Space = z
  .object({
    name: SpaceName,
    ...reach,
    /** Null as long as nobody has said what it reaches. */
    changedBy: z.string().nullable(),
    changedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Space' });
export type Space = z.infer<typeof Space>;

/** What is left out stays as it is. A space that is not there yet is made. */
export const SetSpace = z
  .strictObject(reach)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Say what to change')
  .meta({ id: 'SetSpace' });
export type SetSpace = z.infer<typeof SetSpace>;

export const SpaceList = z.object({ items: z.array(Space) }).meta({ id: 'SpaceList' });
export type SpaceList = z.infer<typeof SpaceList>;

/** A space of which nothing has been said: it reaches nothing, and everyone may work in it. */
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

/** What a goal or a chat asks for by itself. */
export interface Deviations {
  readonly hostFolders?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly preset?: string | undefined;
  readonly stepBudget?: number | undefined;
  readonly tokenBudget?: number | undefined;
}

/** A space with what a goal or a chat asks for on top: folders and hosts are added, all else takes its place. */
export function deviate(space: Space, asked: Deviations) {
  return {
    space,
    hostFolders: [...new Set([...space.hostFolders, ...(asked.hostFolders ?? [])])],
    hosts: [...new Set([...space.hosts, ...(asked.hosts ?? [])])],
    preset: asked.preset ?? space.preset ?? undefined,
    stepBudget: asked.stepBudget ?? space.stepBudget ?? undefined,
    tokenBudget: asked.tokenBudget ?? space.tokenBudget ?? undefined,
  };
}
