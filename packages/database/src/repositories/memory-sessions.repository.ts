import { GoalState } from '@aish/contracts/goals';
import { SessionKind, TurnRole, type TurnRole as Role } from '@aish/contracts/sessions';
import type { Tx } from '../tx.js';

export interface RecordTurn {
  readonly seq: number;
  readonly role: Role;
  readonly content: string;
}

/**
 * Returns the newest turns of a session that fit into `maxBytes`, in order. A turn is included completely or not at
 * all. Answers to `summarize` are not included.
 *
 * @returns the turns, and how many did not fit; null if the session does not exist.
 */
export async function readRecord(
  tx: Tx,
  sessionId: string,
  maxBytes: number,
): Promise<{ readonly turns: readonly RecordTurn[]; readonly omitted: number; readonly kind: string } | null> {
  const sessions = await tx.$queryRaw<{ kind: string }[]>`select kind from sessions where id = ${sessionId}::uuid`;
  const kind = sessions[0]?.kind;
  if (kind === undefined) return null;
  const rows = await tx.$queryRaw<{ seq: number; role: string; content: string | null }[]>`
    with kept as (
      select seq, role, content, octet_length(content) as bytes from turns
      where session_id = ${sessionId}::uuid and (meta is null or meta ->> 'tag' is distinct from 'summarize')),
    fits as (
      select seq, sum(bytes) over (order by seq desc) as total from kept where bytes <= ${maxBytes}::int)
    select kept.seq, kept.role, case when fits.total <= ${maxBytes}::int then kept.content end as content
    from kept left join fits using (seq) order by kept.seq`;
  const turns = rows.flatMap(({ seq, role, content }) =>
    content === null ? [] : [{ seq, role: TurnRole.parse(role), content }],
  );
  return { turns, omitted: rows.length - turns.length, kind };
}

/** The background of a live session. */
export interface KeptBackground {
  /** The items of its block, in order. */
  readonly numbers: readonly number[];
  readonly instructions: string | null;
}

/** Returns the session's background as it was loaded, or null if there is none yet. */
export async function findBackground(tx: Tx, sessionId: string): Promise<KeptBackground | null> {
  const rows = await tx.$queryRaw<KeptBackground[]>`
    select numbers, instructions from memory_backgrounds
    where session_id = ${sessionId}::uuid and loaded_at is not null`;
  return rows[0] ?? null;
}

/**
 * Stores the background of a session. Items that were remembered in the session since the lookup come first. Items that
 * were already in it stay.
 *
 * @returns false if the session does not exist.
 */
export async function putBackground(
  tx: Tx,
  sessionId: string,
  owner: string,
  { numbers, instructions }: KeptBackground,
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    insert into memory_backgrounds as b (session_id, owner, numbers, instructions, loaded_at)
    select id, ${owner}, ${[...numbers]}::int[], ${instructions}, now() from sessions where id = ${sessionId}::uuid
    on conflict (session_id) do update set owner = excluded.owner, instructions = excluded.instructions, loaded_at = now(),
      numbers = case when b.owner <> excluded.owner then excluded.numbers when b.loaded_at is not null then b.numbers
        else array(select n from unnest(b.numbers) with ordinality t(n, at) where n <> all (excluded.numbers) order by at)
             || excluded.numbers end`;
  return changed === 1;
}

/** Removes the background of a session. The session gets a new block with its next message, or by `putBackground`. */
export async function dropBackground(tx: Tx, sessionId: string): Promise<void> {
  await tx.$executeRaw`delete from memory_backgrounds where session_id = ${sessionId}::uuid`;
}

/** Puts an item first in the block of a live session of its owner, even if the block is not loaded yet. */
export async function addToBackground(tx: Tx, sessionId: string, owner: string, number: number): Promise<void> {
  await tx.$executeRaw`
    insert into memory_backgrounds as b (session_id, owner, numbers)
    select id, ${owner}, array[${number}::int] from sessions where id = ${sessionId}::uuid
    on conflict (session_id) do update
    set numbers = array_prepend(${number}::int, array_remove(b.numbers, ${number}::int)) where b.owner = excluded.owner`;
}

/** Returns the number of a person's turns in a session since its last summary. */
export async function unsummarized(tx: Tx, sessionId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`
    select count(*) from turns where session_id = ${sessionId}::uuid and role = 'user'
      and seq > (select coalesce(max(seq), 0) from turns
                 where session_id = ${sessionId}::uuid and meta ->> 'tag' = 'summarize')`;
  return Number(rows[0]?.count ?? 0);
}

/** Lists sessions with activity since a time, newest first. */
export async function sessionsSince(tx: Tx, since: Date, limit: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from sessions where updated_at >= ${since} order by updated_at desc limit ${limit}::int`;
  return rows.map(({ id }) => id);
}

export interface SessionFacts {
  readonly kind: SessionKind;
  /** The number of the session; for a goal's session, the number of the goal. */
  readonly number: number;
  readonly title: string;
  readonly space: string;
  readonly createdAt: Date;
  /** The owner; null for a session without an owner. */
  readonly owner: string | null;
  /** The state of the goal; null for a chat. */
  readonly goalState: GoalState | null;
}

/** Returns the owner and title of a session, and the state of its goal; null if the session does not exist. */
export async function describeSession(tx: Tx, sessionId: string): Promise<SessionFacts | null> {
  const rows = await tx.$queryRaw<
    (Omit<SessionFacts, 'goalState' | 'kind'> & { kind: string; state: string | null })[]
  >`
    select s.kind, coalesce(g.number, s.number) as number, s.title, s.space, s.created_at as "createdAt",
           coalesce(c.owner, g.created_by) as owner, g.state
    from sessions s left join goals g on g.session_id = s.id left join chats c on c.session_id = s.id
    where s.id = ${sessionId}::uuid`;
  const row = rows[0];
  if (row === undefined) return null;
  const { kind, state, ...facts } = row;
  return { ...facts, kind: SessionKind.parse(kind), goalState: state === null ? null : GoalState.parse(state) };
}
