import type { Verdict } from '@aish/contracts/decisions';
import type { Tx } from '../tx.js';

/** What a digest is made of; `from` counts, `to` does not. Each list has a bound that a homelab does not reach. */
export interface DigestRows {
  /** Those that ended then, and those that have not ended; the newest first. */
  readonly goals: readonly {
    readonly number: number;
    readonly text: string;
    readonly state: string;
    readonly verified: boolean;
  }[];
  /** Questions of goals that were asked or answered then, or wait now; the newest first. */
  readonly halts: readonly {
    readonly number: number;
    readonly goal: number;
    readonly action: string;
    readonly state: string;
    readonly verdict: Verdict | null;
    readonly wasAsked: boolean;
    readonly wasSettled: boolean;
    readonly waitedMs: number | null;
  }[];
  /** Sums over commands. */
  readonly effects: {
    readonly created: Files;
    readonly changed: Files;
    readonly deleted: Files;
    readonly undone: number;
  };
  /** By host and goal; those of chats have none. */
  readonly hosts: readonly {
    readonly host: string;
    readonly goal: number | null;
    readonly commands: number;
    readonly refused: number;
  }[];
  readonly models: readonly {
    readonly preset: string;
    readonly read: number;
    readonly written: number;
    readonly energyJ: number | null;
  }[];
}

interface Files {
  readonly files: number;
  readonly bytes: number;
}

const ROWS_MAX = 20_000;
const TEXT_MAX_CHARS = 400;

/** Reads what happened. Sessions that nothing came to since `from` are not looked into. */
export async function readDigest(tx: Tx, from: Date, to: Date): Promise<DigestRows> {
  const goals = await tx.$queryRaw<DigestRows['goals'][number][]>`
    select number, left(text, ${TEXT_MAX_CHARS}::int) as text, state, verified from goals
    where ended_at >= ${from} and ended_at < ${to} or ended_at is null and created_at < ${to}
    order by number desc limit ${ROWS_MAX}::int`;
  const halts = await tx.$queryRaw<DigestRows['halts'][number][]>`
    select d.number, g.number as goal, left(d.action, ${TEXT_MAX_CHARS}::int) as action, d.state, d.verdict,
           d.created_at >= ${from} as "wasAsked",
           coalesce(d.decided_at >= ${from} and d.decided_at < ${to}, false) as "wasSettled",
           (extract(epoch from d.decided_at - d.created_at) * 1000)::float8 as "waitedMs"
    from decisions d join goals g on g.id = d.goal_id
    where d.created_at < ${to} and (d.created_at >= ${from} or d.decided_at >= ${from} or d.state = 'pending')
    order by d.number desc limit ${ROWS_MAX}::int`;
  const hosts = await tx.$queryRaw<DigestRows['hosts'][number][]>`
    select c.host, g.number as goal, count(*) filter (where c.verdict in ('read-only', 'approved'))::int as commands,
           count(*) filter (where c.verdict = 'refused')::int as refused
    from host_commands c left join goals g on g.id = c.goal_id
    where c.at >= ${from} and c.at < ${to} group by c.host, g.number order by c.host, g.number limit ${ROWS_MAX}::int`;
  const models = await tx.$queryRaw<DigestRows['models'][number][]>`
    select coalesce(g.preset, c.preset, '') as preset, coalesce(sum((st.usage ->> 'promptTokens')::float8), 0) as read,
           coalesce(sum((st.usage ->> 'completionTokens')::float8), 0) as written,
           sum((st.usage ->> 'energyJ')::float8) as "energyJ"
    from sessions s join steps st on st.session_id = s.id
      left join goals g on g.session_id = s.id left join chats c on c.session_id = s.id
    where s.updated_at >= ${from} and st.answered_at >= ${from} and st.answered_at < ${to} and st.usage is not null
    group by 1 order by 1 limit ${ROWS_MAX}::int`;
  return { goals, halts, hosts, models, effects: await readEffects(tx, from, to) };
}

/** What waits for a verdict, or was rolled back by one, did not happen. */
async function readEffects(tx: Tx, from: Date, to: Date): Promise<DigestRows['effects']> {
  const [sums] = await tx.$queryRaw<Record<`${'created' | 'changed' | 'deleted'}_${'files' | 'bytes'}`, number>[]>`
    select coalesce(sum((e -> 'created' ->> 'files')::float8), 0) as created_files,
           coalesce(sum((e -> 'created' ->> 'bytes')::float8), 0) as created_bytes,
           coalesce(sum((e -> 'changed' ->> 'files')::float8), 0) as changed_files,
           coalesce(sum((e -> 'changed' ->> 'bytes')::float8), 0) as changed_bytes,
           coalesce(sum((e -> 'deleted' ->> 'files')::float8), 0) as deleted_files,
           coalesce(sum((e -> 'deleted' ->> 'bytes')::float8), 0) as deleted_bytes
    from (select a.outcome -> 'effects' as e from sessions s join actions a on a.session_id = s.id
          where s.updated_at >= ${from} and a.ended_at >= ${from} and a.ended_at < ${to}
            and coalesce(a.outcome -> 'held' ->> 'verdict', 'kept') = 'kept') did`;
  const [undone] = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from sessions s join events e on e.session_id = s.id
    where s.updated_at >= ${from} and e.type = 'action.undone' and e.at >= ${from} and e.at < ${to}`;
  return {
    created: { files: sums?.created_files ?? 0, bytes: sums?.created_bytes ?? 0 },
    changed: { files: sums?.changed_files ?? 0, bytes: sums?.changed_bytes ?? 0 },
    deleted: { files: sums?.deleted_files ?? 0, bytes: sums?.deleted_bytes ?? 0 },
    undone: undone?.count ?? 0,
  };
}
