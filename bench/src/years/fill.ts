import type { Database } from '@aish/database/client';

/** The contents of an installation after years of use, by number of events. */
export interface Years {
  readonly goals: number;
  readonly chats: number;
}

const GOAL_EVENTS = 120;
const CHAT_EVENTS = 400;
const GOAL_TURNS = 12;
const CHAT_TURNS = 40;
const STEPS = 6;

/** Returns the contents for a number of events. 20 million events correspond to 100,000 goals and 20,000 chats. */
export function yearsOf(events: number): Years {
  return { goals: Math.floor(events / 200), chats: Math.floor(events / 1_000) };
}

/** The text has forty words out of 5,000, of which low numbers are frequent, and one word that few turns contain. */
const TEXT = `(select string_agg('word' || floor(5000 * power(random(), 3))::int, ' ') || ' rare' || floor(1000 * random())::int
  from generate_series(1, 40) where s.n is not null)`;

/** Writes rows directly, without foreign keys and drivers. This is only for measurements. */
export async function fillYears(db: Database, { goals, chats }: Years): Promise<void> {
  const client = await db.pool.connect();
  try {
    const run = (sql: string) => client.query(sql);
    await run(`set session_replication_role = replica; set synchronous_commit = off`);
    await run(`create function pg_temp.uuid_of(text) returns uuid language sql immutable as
      $$ select overlay(overlay(md5($1) placing '4' from 13) placing '8' from 17)::uuid $$`);
    const all = goals + chats;
    const kind = `case when n <= ${goals} then 'goal' else 'chat' end`;
    const at = `now() - (${all} - n) * interval '5 minutes'`;
    await run(`create temp table s as select n, pg_temp.uuid_of('session' || n) as id, ${kind} as kind, ${at} as at
      from generate_series(1, ${all}) n`);
    await run(`insert into sessions (id, kind, title, event_seq, turn_seq, created_at, updated_at)
      select id, kind, kind || ' ' || n, case kind when 'goal' then ${GOAL_EVENTS} else ${CHAT_EVENTS} end,
        case kind when 'goal' then ${GOAL_TURNS} else ${CHAT_TURNS} end, at, at from s order by n`);
    // The last forty goals wait for a person.
    await run(`insert into goals (id, session_id, text, preset, state, step_budget, steps_taken, created_by, created_at,
        updated_at, ended_at, summary)
      select pg_temp.uuid_of('goal' || n), id, 'look after machine ' || n, 'fast',
        case when n > ${goals - 40} then 'halted' else (array['done','done','done','blocked','aborted','exhausted'])[1 + n % 6] end,
        16, ${STEPS}, 'admin', at, at, case when n <= ${goals - 40} then at end, 'it is as it should be'
      from s where kind = 'goal' order by n`);
    await run(
      `insert into chats (session_id, owner, preset, titled) select id, 'admin', 'fast', true from s where kind = 'chat'`,
    );
    await run(`insert into events (session_id, seq, type, payload, at)
      select id, e, 'step.answered', jsonb_build_object('type', 'step.answered', 'text', repeat('as it was ', 20)), at
      from s, lateral generate_series(1, case kind when 'goal' then ${GOAL_EVENTS} else ${CHAT_EVENTS} end) e`);
    await run(`insert into turns (session_id, seq, role, content, created_at)
      select id, t, case t % 2 when 1 then 'user' else 'assistant' end, ${TEXT}, at
      from s, lateral generate_series(1, case kind when 'goal' then ${GOAL_TURNS} else ${CHAT_TURNS} end) t`);
    await run(`insert into steps (session_id, n, text, answered_at)
      select id, t, 'CMD: ls', at from s, generate_series(1, ${STEPS}) t where kind = 'goal'`);
    await run(`insert into actions (id, session_id, step_number, n, kind, command, state, outcome, started_at, ended_at)
      select pg_temp.uuid_of('action' || s.n || '-' || t), id, t, 1, 'command', 'ls -l', 'finished', null, at, at
      from s, generate_series(1, ${STEPS}) t where kind = 'goal'`);
    await run(`insert into decisions (id, session_id, kind, goal_id, action_id, state, reason, action, context, verdict,
        decided_by, created_at, decided_at, step_number, step_budget)
      select pg_temp.uuid_of('decision' || n), id, 'halt', pg_temp.uuid_of('goal' || n), pg_temp.uuid_of('action' || n || '-1'),
        case when n > ${goals - 40} then 'pending' else 'decided' end, 'it deletes', 'rm -rf x', '',
        case when n <= ${goals - 40} then 'proceed' end, case when n <= ${goals - 40} then 'admin' end, at,
        case when n <= ${goals - 40} then at end, 1, 16
      from s where kind = 'goal' and (n % 2 = 0 or n > ${goals - 40})`);
    await run(`insert into audit (actor, action, subject, facts, at)
      select 'admin', 'verdict.given', 'd' || n, '{}', at from s where kind = 'goal' order by n`);
    await run('drop table s; set session_replication_role = default; analyze');
    // In real use, autovacuum has visited every row over the years, so the first reader of a row need not write it.
    await run('vacuum');
  } finally {
    client.release(true);
  }
}
