import type { ForkedFrom } from '@aish/contracts/chat';
import { GoalState, isTerminal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Trust } from '@aish/contracts/trust';
import type { ChatRow as Row } from '../generated/rows.js';
import type { Database } from '../client.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

export type ChatRow = Omit<Row, 'updated_at'>;

/** Writes a chat and its session, in the state `idle`. */
export async function insertChat(
  tx: Tx,
  input: {
    readonly id: string;
    readonly owner: string;
    readonly title: string | null;
    readonly preset: string;
    readonly autoContinue: boolean;
    readonly confirmCommands: boolean;
    readonly trust?: Trust;
    readonly hostFolders?: readonly string[];
    readonly hosts?: readonly string[];
    readonly forkedFrom: ForkedFrom | null;
  },
): Promise<void> {
  await tx.$executeRaw`
    insert into sessions (id, kind, title) values (${input.id}::uuid, 'chat', ${storable(input.title ?? 'new chat')})`;
  await tx.$executeRaw`
    insert into chats (session_id, owner, preset, auto_continue, confirm_commands, trust, host_folders, hosts, titled,
                       forked_session, forked_turn)
    values (${input.id}::uuid, ${input.owner}, ${input.preset}, ${input.autoContinue}, ${input.confirmCommands},
            ${input.trust ?? 'ask'},
            ${[...(input.hostFolders ?? [])]}::text[], ${[...(input.hosts ?? [])]}::text[], ${input.title !== null},
            ${input.forkedFrom?.sessionId ?? null}::uuid, ${input.forkedFrom?.turn ?? null}::int)`;
}

/**
 * Turns the session of an ended goal into a chat about the goal. The chat has the goal's model and tools, so that its
 * requests begin like the goal's. The function takes the row lock of the goal, as continuing the goal does.
 *
 * @returns the goal's state; null if the session does not belong to a goal.
 */
export async function openFollowUp(
  tx: Tx,
  sessionId: string,
  settings: { readonly autoContinue: boolean; readonly confirmCommands: boolean },
): Promise<GoalState | null> {
  const goals = await tx.$queryRaw<{ id: string; state: string }[]>`
    select id, state from goals where session_id = ${sessionId}::uuid for update`;
  const [goal] = goals;
  if (goal === undefined) return null;
  const state = GoalState.parse(goal.state);
  if (!isTerminal(state)) return state;
  // The number of exchanges continues from an earlier chat about the goal.
  await tx.$executeRaw`
    insert into chats (session_id, owner, preset, auto_continue, confirm_commands, host_folders, hosts, titled, offered,
                       goal_id, exchange)
    select g.session_id, g.created_by, g.preset, ${settings.autoContinue}, ${settings.confirmCommands}, g.host_folders,
           g.hosts, true, g.offered, g.id,
           coalesce((select max((payload ->> 'exchange')::int) from events
                     where session_id = g.session_id and type = 'exchange.ended'), 0)
    from goals g where g.id = ${goal.id}::uuid on conflict (session_id) do nothing`;
  return state;
}

/**
 * Ends the chat about a goal when the goal continues.
 *
 * @returns false while a message is being answered.
 */
export async function closeFollowUp(tx: Tx, goalId: string): Promise<boolean> {
  await tx.$executeRaw`delete from chats where goal_id = ${goalId}::uuid and state = 'idle'`;
  const rows = await tx.$queryRaw<unknown[]>`select 1 from chats where goal_id = ${goalId}::uuid`;
  return rows.length === 0;
}

export async function findChat(tx: Tx, sessionId: string): Promise<ChatRow | null> {
  const rows = await tx.$queryRaw<ChatRow[]>`select * from chats where session_id = ${sessionId}::uuid`;
  return rows[0] ?? null;
}

/** Locks the chat's row until the transaction ends. */
export async function lockChat(tx: Tx, sessionId: string): Promise<ChatRow | null> {
  const rows = await tx.$queryRaw<ChatRow[]>`select * from chats where session_id = ${sessionId}::uuid for update`;
  return rows[0] ?? null;
}

/** Makes the caller the runner of a running chat. The caller must hold the chat's advisory lock. */
export async function raiseChatEpoch(tx: Tx, sessionId: string): Promise<ChatRow | null> {
  const rows = await tx.$queryRaw<ChatRow[]>`
    update chats set epoch = epoch + 1, updated_at = now()
    where session_id = ${sessionId}::uuid and state = 'running' returning *`;
  return rows[0] ?? null;
}

/** @throws AishError `epoch_superseded` if the chat has another runner. */
export async function lockAsChatRunner(tx: Tx, sessionId: string, epoch: number): Promise<void> {
  const rows = await tx.$queryRaw<{ epoch: number }[]>`
    select epoch from chats where session_id = ${sessionId}::uuid and epoch = ${epoch}::int for update`;
  if (rows.length === 0) throw superseded(sessionId, epoch);
}

function superseded(sessionId: string, epoch: number): AishError {
  return new AishError(
    'epoch_superseded',
    `Chat ${sessionId} is now run by another process, so epoch ${epoch} may no longer write`,
  );
}

export async function setChatSettings(
  tx: Tx,
  sessionId: string,
  settings: {
    readonly preset: string;
    readonly autoContinue: boolean;
    readonly confirmCommands: boolean;
    readonly trust: Trust;
    readonly hostFolders: readonly string[];
    readonly hosts: readonly string[];
    readonly titled: boolean;
  },
): Promise<void> {
  await tx.$executeRaw`
    update chats set preset = ${settings.preset}, auto_continue = ${settings.autoContinue},
      confirm_commands = ${settings.confirmCommands}, trust = ${settings.trust}, host_folders = ${[...settings.hostFolders]}::text[],
      hosts = ${[...settings.hosts]}::text[], titled = ${settings.titled}, updated_at = now()
    where session_id = ${sessionId}::uuid`;
}

/** Appends new text to running answers, for all chats of a process in one statement. */
export async function appendDrafts(
  { statements }: Pick<Database, 'statements'>,
  drafts: readonly {
    readonly sessionId: string;
    readonly epoch: number;
    readonly text: string;
    readonly reasoning: string;
  }[],
): Promise<void> {
  if (drafts.length === 0) return;
  await statements.$executeRaw`
    update chats set draft = draft || d.text, draft_reasoning = draft_reasoning || d.reasoning, updated_at = now()
    from jsonb_to_recordset(${storableJson(drafts)}::jsonb)
      as d("sessionId" uuid, epoch int, text text, reasoning text)
    where session_id = d."sessionId" and chats.epoch = d.epoch and state = 'running'`;
}

/** Empties the draft, because the answer is requested again. */
export async function clearDraft(
  { statements }: Pick<Database, 'statements'>,
  sessionId: string,
  epoch: number,
): Promise<void> {
  await statements.$executeRaw`
    update chats set draft = '', draft_reasoning = '' where session_id = ${sessionId}::uuid and epoch = ${epoch}::int`;
}

export async function setGrants(tx: Tx, sessionId: string, grants: unknown): Promise<void> {
  await tx.$executeRaw`update chats set grants = ${storableJson(grants)}::jsonb where session_id = ${sessionId}::uuid`;
}

/** Lists running chats that nobody has touched for `idleMs`. Their runner may be gone. */
export async function listOrphanedChats(tx: Tx, idleMs: number, limit: number): Promise<{ session_id: string }[]> {
  return tx.$queryRaw<{ session_id: string }[]>`
    select session_id from chats
    where state = 'running' and updated_at < now() - ${idleMs}::int * interval '1 millisecond'
    order by updated_at limit ${limit}::int`;
}
