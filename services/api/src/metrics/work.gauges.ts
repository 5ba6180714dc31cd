import type { Database } from '@aish/database/client';
import { observe } from '@aish/telemetry';

interface Work {
  readonly goals: readonly { readonly state: string; readonly count: number; readonly oldest_s: number }[];
  readonly decisions: { readonly count: number; readonly oldest_s: number };
}

/**
 * Registers gauges of waiting work, which are read from the database on demand: goals by state, their ages, and open
 * decisions.
 */
export function observeWork(db: Database, onError: (error: unknown) => void): void {
  const goals = () => readGoals(db);
  observe(
    'aish.goals',
    'Goals that have not ended, by state',
    async () => {
      return (await goals()).map(({ state, count }) => ({ value: count, labels: { state } }));
    },
    onError,
  );
  observe(
    'aish.goals.oldest',
    'Seconds since the oldest of them changed, by state',
    async () => {
      return (await goals()).map(({ state, oldest_s: value }) => ({ value, labels: { state } }));
    },
    onError,
  );
  observe(
    'aish.decisions.pending',
    'Decisions that wait for a person',
    async () => {
      return [{ value: (await readDecisions(db)).count }];
    },
    onError,
  );
  observe(
    'aish.decisions.oldest',
    'Seconds that the oldest of them has waited',
    async () => {
      return [{ value: (await readDecisions(db)).oldest_s }];
    },
    onError,
  );
}

async function readGoals(db: Database): Promise<Work['goals']> {
  return db.statements.$queryRaw<{ state: string; count: number; oldest_s: number }[]>`
    select state, count(*)::int as count, extract(epoch from now() - min(updated_at))::float8 as oldest_s from goals
    where ended_at is null group by state`;
}

async function readDecisions(db: Database): Promise<Work['decisions']> {
  const rows = await db.statements.$queryRaw<{ count: number; oldest_s: number }[]>`
    select count(*)::int as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_s
    from decisions where state = 'pending'`;
  return rows[0] ?? { count: 0, oldest_s: 0 };
}
