import type { GoalState } from '@aish/contracts/goals';
import type { Tx } from '../tx.js';

const NAMED_MAX = 5;

/** What a brief says of goals and decisions. The newest are named, all are counted. */
export interface LabWork {
  readonly waiting: { readonly count: number; readonly named: readonly { number: number; goal: number | null }[] };
  /** By how they ended. */
  readonly ended: readonly { readonly state: GoalState; readonly count: number; readonly named: readonly number[] }[];
}

/** Decisions that wait now, and goals that ended since a time. */
export async function readLabWork(tx: Tx, since: Date, now: Date): Promise<LabWork> {
  const waiting = await tx.$queryRaw<{ number: number; goal: number | null; count: number }[]>`
    select d.number, g.number as goal, count(*) over ()::int as count
    from decisions d left join goals g on g.id = d.goal_id
    where d.state = 'pending' order by d.number desc limit ${NAMED_MAX}::int`;
  const ended = await tx.$queryRaw<LabWork['ended']>`
    select state, count(*)::int as count, (array_agg(number order by number desc))[1:${NAMED_MAX}::int] as named from goals
    where ended_at >= ${since}::timestamptz and ended_at < ${now}::timestamptz group by state order by count desc, state`;
  return {
    waiting: { count: waiting[0]?.count ?? 0, named: waiting.map(({ number, goal }) => ({ number, goal })) },
    ended,
  };
}
