import { ChatState, HistoryTurn, Session } from '@aish/contracts/chat';
import { GoalState } from '@aish/contracts/goals';
import { TurnMeta, type TurnRole } from '@aish/contracts/sessions';
import { Trust } from '@aish/contracts/trust';
import { z } from 'zod';
import type { ChatRow, SessionRow as Row } from '../generated/rows.js';
import { joinSql, sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

type SessionRow = Pick<
  Row,
  'id' | 'number' | 'kind' | 'title' | 'space' | 'turn_seq' | 'archived' | 'created_at' | 'updated_at'
> & {
  readonly [
    K in 'state' | 'preset' | 'auto_continue' | 'confirm_commands' | 'trust' | 'host_folders' | 'hosts' | 'forked_turn'
  ]: ChatRow[K] | null;
} & Record<'forked_session' | 'goal_state' | 'owner' | 'snippet', string | null> & {
    readonly goal_number: number | null;
  };

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    number: row.number,
    kind: row.kind === 'goal' ? 'goal' : 'chat',
    title: row.title,
    state: row.state === null ? null : ChatState.parse(row.state),
    preset: row.preset,
    autoContinue: row.auto_continue,
    confirmCommands: row.confirm_commands,
    trust: row.trust === null ? null : Trust.parse(row.trust),
    hostFolders: row.host_folders ?? [],
    hosts: row.hosts ?? [],
    space: row.space,
    goalNumber: row.goal_number,
    goalState: row.goal_state === null ? null : GoalState.parse(row.goal_state),
    forkedFrom: row.forked_session === null ? null : { sessionId: row.forked_session, turn: row.forked_turn ?? 0 },
    turns: row.turn_seq,
    archived: row.archived,
    owner: row.owner ?? '',
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Returns the session with this UUID or number, or null. */
export async function findSession(tx: Tx, reference: string): Promise<Session | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<SessionRow[]>`
    select s.*, c.state, c.preset, c.auto_continue, c.confirm_commands, c.trust, c.forked_session, c.forked_turn,
           g.number as goal_number, g.state as goal_state, coalesce(c.owner, g.created_by) as owner,
           coalesce(c.host_folders, g.host_folders) as host_folders, coalesce(c.hosts, g.hosts) as hosts, null as snippet
    from sessions s left join chats c on c.session_id = s.id left join goals g on g.session_id = s.id
    where case when ${byId} then s.id = ${byId ? reference : null}::uuid
               else s.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : toSession(rows[0]);
}

export interface SessionFilter {
  readonly kind: string | null;
  readonly words: string | null;
  readonly archived: boolean;
  readonly limit: number;
}

/** A word is common if the planner expects it in at least this many turns. */
const COMMON_TURNS = 2_000;
/**
 * How many sessions are scanned one by one for a common word, as multiples of the page. The second number is used if
 * the first scan found some.
 */
const WALKED_PAGES = [2, 10];
const TURN_WORDS = sql`to_tsvector('simple', left(content, 50000))`;
const SAID = sql`meta ->> 'tag' is distinct from 'summarize'`;

/**
 * Lists sessions by last use. With words, it lists those whose title or turns contain all of them, with an excerpt. The
 * beginning of a word is enough.
 */
export async function listSessions(tx: Tx, filter: SessionFilter): Promise<(Session & { snippet: string | null })[]> {
  const shown = sql`s.archived = ${filter.archived}::boolean and (${filter.kind}::text is null or s.kind = ${filter.kind})`;
  if (filter.words === null)
    return page(tx, filter.limit, null, sql`select s.*, null::int as hit from sessions s where ${shown}`);
  const query = prefixQuery(filter.words);
  const title = sql`to_tsvector('simple', s.title) @@ to_tsquery('simple', ${query})`;
  const matches = sql`${TURN_WORDS} @@ to_tsquery('simple', ${query}) and ${SAID}`;
  if (await isCommon(tx, query)) {
    // Nearly every session contains the word. The newest ones fill the page, and millions of other hits are never read.
    const newest = (pages: number) => sql`select s.* from sessions s where ${shown}
      order by s.updated_at desc, s.number desc limit ${filter.limit * pages}::int`;
    // A plain substring test finds most matches for a hundredth of the cost, because the word usually appears unchanged
    // in the text.
    const likely = termsOf(filter.words).map((term) => sql`strpos(lower(left(t.content, 50000)), lower(${term})) > 0`);
    const first = sql`select t.seq from turns t where t.session_id = s.id and ${joinSql(likely, ' and ')} and ${matches}
      order by t.seq limit 1`;
    for (const [n, pages] of WALKED_PAGES.entries()) {
      const walked = sql`select s.*, first.seq as hit from (${newest(pages)}) s left join lateral (${first}) first on true
        where first.seq is not null or ${title}`;
      const found = await page(tx, filter.limit, query, walked);
      if (found.length === filter.limit) return found;
      const next = WALKED_PAGES[n + 1];
      if (next === undefined || (found.length * next) / pages < filter.limit) break;
    }
  }
  return page(
    tx,
    filter.limit,
    query,
    sql`select s.*, hits.hit from sessions s join (
          select session_id, min(seq) as hit from (
            select session_id, seq from turns where ${matches}
            union all select s.id, null from sessions s where ${title}) every
          group by session_id) hits on hits.session_id = s.id
        where ${shown}`,
  );
}

/**
 * Selects the page first, and then the details of only those sessions. `matching` are sessions, each with the turn to
 * show.
 */
async function page(
  tx: Tx,
  limit: number,
  query: string | null,
  matching: Sql,
): Promise<(Session & { snippet: string | null })[]> {
  const rows = await tx.$queryRaw<SessionRow[]>`
    with page as materialized (
      select * from (${matching}) s order by s.updated_at desc, s.number desc limit ${limit}::int
    )
    select s.*, c.state, c.preset, c.auto_continue, c.confirm_commands, c.trust, c.forked_session, c.forked_turn,
           g.number as goal_number, g.state as goal_state, coalesce(c.owner, g.created_by) as owner,
           coalesce(c.host_folders, g.host_folders) as host_folders, coalesce(c.hosts, g.hosts) as hosts,
           case when ${query}::text is null then null else coalesce(ts_headline('simple', left(t.content, 50000),
             to_tsquery('simple', ${query}), 'StartSel=«, StopSel=», MaxWords=18, MinWords=6, MaxFragments=1'), s.title)
           end as snippet
    from page s left join chats c on c.session_id = s.id left join goals g on g.session_id = s.id
    left join turns t on t.session_id = s.id and t.seq = s.hit
    order by s.updated_at desc, s.number desc`;
  return rows.map((row) => ({ ...toSession(row), snippet: row.snippet }));
}

/** Whether a query matches many turns. The planner's statistics are cheap to read. */
async function isCommon(tx: Tx, query: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ 'QUERY PLAN': unknown }[]>`
    explain (format json) select 1 from turns where ${TURN_WORDS} @@ to_tsquery('simple', ${query})`;
  const plan = Plan.safeParse(rows[0]?.['QUERY PLAN']);
  return plan.success && (plan.data[0]?.Plan['Plan Rows'] ?? 0) >= COMMON_TURNS;
}

const Plan = z.array(z.object({ Plan: z.object({ 'Plan Rows': z.number() }) }));

/**
 * Builds a query for the beginnings of words. Only letters and digits reach the query language of Postgres. A text
 * without words finds nothing.
 */
function prefixQuery(words: string): string {
  const terms = termsOf(words);
  return terms.length === 0 ? "'\u0001'" : terms.map((term) => `'${term}':*`).join(' & ');
}

function termsOf(words: string): readonly string[] {
  return words.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

export async function renameSession(tx: Tx, sessionId: string, title: string): Promise<void> {
  await tx.$executeRaw`
    update sessions set title = ${storable(title)}, updated_at = now() where id = ${sessionId}::uuid`;
}

/** Hides a session and its goal in lists, or shows them again. */
export async function setArchived(tx: Tx, sessionId: string, archived: boolean): Promise<void> {
  await tx.$executeRaw`
    with goal as (update goals set archived = ${archived} where session_id = ${sessionId}::uuid and archived <> ${archived})
    update sessions set archived = ${archived} where id = ${sessionId}::uuid and archived <> ${archived}`;
}

/**
 * Deletes a session with everything in it.
 *
 * @returns false if it did not exist.
 */
export async function deleteSession(tx: Tx, sessionId: string): Promise<boolean> {
  return (await tx.$executeRaw`delete from sessions where id = ${sessionId}::uuid`) === 1;
}

/**
 * Lists complete turns after `after`, or the newest ones without it, in order. Proposals for the memory are not
 * included, because a person reviews them elsewhere.
 */
export async function listHistory(
  tx: Tx,
  sessionId: string,
  after: number | null,
  limit: number,
): Promise<HistoryTurn[]> {
  const rows = await tx.$queryRaw<{ seq: number; role: TurnRole; content: string; meta: unknown; created_at: Date }[]>`
    select seq, role, content, meta, created_at from turns
    where session_id = ${sessionId}::uuid and meta ->> 'tag' is distinct from 'summarize' and seq > coalesce(${after}::int,
      (select turn_seq - ${limit}::int from sessions where id = ${sessionId}::uuid), 0)
    order by seq limit ${limit}::int`;
  return rows.map(({ seq, role, content, meta: raw, created_at: at }) => {
    const meta = raw === null ? {} : TurnMeta.parse(raw);
    return {
      seq,
      role,
      content,
      toolCalls: meta.toolCalls ?? [],
      toolCallId: meta.toolCallId ?? null,
      isError: meta.isError ?? false,
      end: role === 'assistant' ? (meta.end ?? 'whole') : null,
      reasoning: meta.reasoning ?? '',
      model: meta.model ?? null,
      at: at.toISOString(),
    };
  });
}

/**
 * Copies the turns up to and including `turn` into a session without turns.
 *
 * @returns the number of copied turns.
 */
export async function copyTurns(tx: Tx, fromSession: string, toSession: string, turn: number): Promise<number> {
  const copied = await tx.$executeRaw`
    insert into turns (session_id, seq, role, provenance, content, parts, meta, created_at)
    select ${toSession}::uuid, seq, role, provenance, content, parts, meta, created_at from turns
    where session_id = ${fromSession}::uuid and seq <= ${turn}::int`;
  await tx.$executeRaw`update sessions set turn_seq = ${copied}::int where id = ${toSession}::uuid`;
  return copied;
}

/** Lists the IDs of all sessions, oldest first. */
export async function listSessionIds(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`select id from sessions order by created_at, id`;
  return rows.map(({ id }) => id);
}
