import type { GoalState } from '@aish/contracts/goals';
import type { Tx } from '../tx.js';

const NAMED_MAX = 5;

/** Goals and decisions in a brief. All are counted, and the newest are named. */
export interface LabWork {
  readonly waiting: { readonly count: number; readonly named: readonly { number: number; goal: number | null }[] };
  /** The ended goals, counted by final state. */
  readonly ended: readonly { readonly state: GoalState; readonly count: number; readonly named: readonly number[] }[];
}

/** Reads the decisions that wait now, and the goals that ended since a time. */
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
