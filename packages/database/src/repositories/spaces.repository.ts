import { Space, emptySpace } from '@aish/contracts/spaces';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import type { SpaceRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

function toSpace(row: Row): Space {
  return Space.parse({
    ...row,
    hostFolders: row.host_folders,
    mcpServers: row.mcp_servers,
    stepBudget: row.step_budget,
    tokenBudget: row.token_budget,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
  });
}

/** Lists every space with settings, by name. */
export async function listSpaces(tx: Tx): Promise<Space[]> {
  return (await tx.$queryRaw<Row[]>`select * from spaces order by name`).map(toSpace);
}

/** Returns the space with this name; null if it does not exist. `general` always exists. */
export async function findSpace(tx: Tx, name: string): Promise<Space | null> {
  const [row] = await tx.$queryRaw<Row[]>`select * from spaces where name = ${name}`;
  if (row !== undefined) return toSpace(row);
  return name === DEFAULT_SPACE ? emptySpace(name) : null;
}

/** Serializes changes of a space, even while the space does not exist yet. */
export async function lockSpace(tx: Tx, name: string): Promise<void> {
  await tx.$queryRaw`select pg_advisory_xact_lock(hashtextextended(${`space ${name}`}, 0))::text`;
}

/** Lets only one configuration be applied at a time. */
export async function lockConfig(tx: Tx): Promise<void> {
  await tx.$queryRaw`select pg_advisory_xact_lock(hashtextextended('config', 0))::text`;
}

/** Writes a complete space. It replaces one with the same name. */
export async function writeSpace(tx: Tx, space: Omit<Space, 'changedAt'>): Promise<void> {
  await tx.$executeRaw`
    insert into spaces (name, network, host_folders, hosts, secrets, image, limits, mcp_servers, preset, step_budget, token_budget, instructions,
                        users, deciders, windows, approvals, escalation, changed_by)
    values (${space.name}, ${storableJson(space.network)}::jsonb, ${space.hostFolders}::text[], ${space.hosts}::text[],
            ${space.secrets}::text[], ${space.image}, ${storableJson(space.limits)}::jsonb, ${space.mcpServers}::text[], ${space.preset}, ${space.stepBudget}::int, ${space.tokenBudget}::int,
            ${storable(space.instructions)}, ${space.users}::text[], ${space.deciders}::text[],
            ${storableJson(space.windows)}::jsonb, ${storableJson(space.approvals)}::jsonb, ${storableJson(space.escalation)}::jsonb, ${space.changedBy})
    on conflict (name) do update
      set network = excluded.network, host_folders = excluded.host_folders, hosts = excluded.hosts,
          secrets = excluded.secrets, image = excluded.image, limits = excluded.limits, mcp_servers = excluded.mcp_servers, preset = excluded.preset, step_budget = excluded.step_budget,
          token_budget = excluded.token_budget, instructions = excluded.instructions, users = excluded.users,
          deciders = excluded.deciders,
          windows = excluded.windows, approvals = excluded.approvals, escalation = excluded.escalation, changed_by = excluded.changed_by, changed_at = now()`;
}

/**
 * Deletes a space. Its sessions and its memory stay.
 *
 * @returns false if there was no such space.
 */
export async function deleteSpace(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$executeRaw`delete from spaces where name = ${name}`) === 1;
}

/** Lists the schedules that start goals in a space. */
export async function schedulesIn(tx: Tx, name: string): Promise<number[]> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    select number from schedules where goal ->> 'space' = ${name} order by number`;
  return rows.map(({ number }) => number);
}

/** Sets the space of a new session, the access of its commands once there is a workspace, and its servers. */
export async function placeInSpace(
  tx: Tx,
  sessionId: string,
  { name, network, mcpServers, image, limits }: Pick<Space, 'name' | 'network' | 'mcpServers' | 'image' | 'limits'>,
): Promise<void> {
  const policy = network.mode === 'none' ? null : storableJson(network);
  await tx.$executeRaw`
    update sessions set space = ${name}, network = ${policy}::jsonb, mcp_servers = ${mcpServers}::text[],
      run_image = case when ${image}::text is null and ${storableJson(limits)}::jsonb = '{}'::jsonb then null
        else jsonb_build_object('build', (select built from images where name = ${image}), 'limits', ${storableJson(limits)}::jsonb) end
    where id = ${sessionId}::uuid`;
}

/** The settings that a session got from its space at its start. */
export interface SessionSpace {
  readonly space: string;
  /** The MCP servers whose tools the session has; null for all servers. */
  readonly servers: readonly string[] | null;
}

export async function findSessionSpace(tx: Tx, sessionId: string): Promise<SessionSpace | null> {
  const rows = await tx.$queryRaw<SessionSpace[]>`
    select space, mcp_servers servers from sessions where id = ${sessionId}::uuid`;
  return rows[0] ?? null;
}

/** The kinds of things that belong to a session, and so to its space. */
export type InSpace = 'sessions' | 'goals' | 'decisions' | 'actions';

/** Returns the space of the thing with this UUID or number; null if the thing does not exist. */
export async function findSpaceOf(tx: Tx, kind: InSpace, reference: string): Promise<Space | null> {
  const id = reference.includes('-') ? reference : null;
  const number = id === null ? Number(reference) : null;
  const rows = await tx.$queryRaw<({ readonly space: string } & (Row | { readonly name: null }))[]>`
    select s.space, p.* from sessions s left join spaces p on p.name = s.space
    where s.id = case ${kind}
      when 'goals' then (select session_id from goals where id = ${id}::uuid or number = ${number}::int)
      when 'decisions' then (select session_id from decisions where id = ${id}::uuid or number = ${number}::int)
      when 'actions' then (select session_id from actions where id = ${id}::uuid)
      else (select id from sessions where id = ${id}::uuid or number = ${number}::int) end`;
  const [row] = rows;
  if (row === undefined) return null;
  return row.name === null ? emptySpace(row.space) : toSpace(row);
}
