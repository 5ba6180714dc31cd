import { GoalState } from '@aish/contracts/goals';
import { SessionKind, TurnRole, type TurnRole as Role } from '@aish/contracts/sessions';
import type { Tx } from '../tx.js';

export interface RecordTurn {
  readonly seq: number;
  readonly role: Role;
  readonly content: string;
}

/**
 * The session's record, newest turns first until `maxBytes` are full, then in order. A turn is left out whole, and so is
 * what `summarize` itself had the model say.
 * @returns the turns, and how many did not fit; null when there is no such session.
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
    with said as (
      select seq, role, content, octet_length(content) as bytes from turns
      where session_id = ${sessionId}::uuid and (meta is null or meta ->> 'tag' is distinct from 'summarize')),
    fits as (
      select seq, sum(bytes) over (order by seq desc) as total from said where bytes <= ${maxBytes}::int)
    select said.seq, said.role, case when fits.total <= ${maxBytes}::int then said.content end as content
    from said left join fits using (seq) order by said.seq`;
  const turns = rows.flatMap(({ seq, role, content }) =>
    content === null ? [] : [{ seq, role: TurnRole.parse(role), content }],
  );
  return { turns, omitted: rows.length - turns.length, kind };
}

/** What a live session was told. */
export interface KeptBackground {
  /** The items of its block, in their order. */
  readonly numbers: readonly number[];
  readonly instructions: string | null;
}

/** What a session was told when its background was loaded, or null when none was yet. */
export async function findBackground(tx: Tx, sessionId: string): Promise<KeptBackground | null> {
  const rows = await tx.$queryRaw<KeptBackground[]>`
    select numbers, instructions from memory_backgrounds
    where session_id = ${sessionId}::uuid and loaded_at is not null`;
  return rows[0] ?? null;
}

/**
 * Stores what a session is told. Items that were remembered in the session since the lookup come first. Items that were
 * already told stay.
 * @returns false when there is no such session.
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

/** The session gets a new block with its next message, or by `putBackground`. */
export async function dropBackground(tx: Tx, sessionId: string): Promise<void> {
  await tx.$executeRaw`delete from memory_backgrounds where session_id = ${sessionId}::uuid`;
}

/** Puts an item first in the block of a live session of its owner, also of one that is yet to be loaded. */
export async function addToBackground(tx: Tx, sessionId: string, owner: string, number: number): Promise<void> {
  await tx.$executeRaw`
    insert into memory_backgrounds as b (session_id, owner, numbers)
    select id, ${owner}, array[${number}::int] from sessions where id = ${sessionId}::uuid
    on conflict (session_id) do update
    set numbers = array_prepend(${number}::int, array_remove(b.numbers, ${number}::int)) where b.owner = excluded.owner`;
}

/** What a person has said in a session since it was last summarized: how many turns. */
export async function unsummarized(tx: Tx, sessionId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`
    select count(*) from turns where session_id = ${sessionId}::uuid and role = 'user'
      and seq > (select coalesce(max(seq), 0) from turns
                 where session_id = ${sessionId}::uuid and meta ->> 'tag' = 'summarize')`;
  return Number(rows[0]?.count ?? 0);
}

/** Sessions in which something happened since then, the newest first. */
export async function sessionsSince(tx: Tx, since: Date, limit: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from sessions where updated_at >= ${since} order by updated_at desc limit ${limit}::int`;
  return rows.map(({ id }) => id);
}

export interface SessionFacts {
  readonly kind: SessionKind;
  /** Of a goal's session the goal's. */
  readonly number: number;
  readonly title: string;
  readonly space: string;
  readonly createdAt: Date;
  /** Null for a session of nobody in particular. */
  readonly owner: string | null;
  /** Of a goal's session. */
  readonly goalState: GoalState | null;
}

/** Whose session it is, what it is called, and where its goal stands; null when there is no such session. */
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
