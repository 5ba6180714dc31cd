import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerTask } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { cancelAbandonedTasks } from './left-tasks.js';

const LATER = '2999-01-01T00:00:00.000Z';

describe('abandoned tasks of MCP servers', () => {
  let db: Database;
  let cancelled: string[];
  openSuiteDatabase((opened) => (db = opened));
  beforeEach(async () => {
    cancelled = [];
    await db.pool.query('delete from sessions');
  });

  /** Creates an action in this state, whose call became this task. */
  async function left(taskId: string, state: string, until = LATER): Promise<string> {
    const [sessionId, id] = [randomUUID(), randomUUID()];
    const task: ServerTask = { alias: 'a', endpoint: 'e', taskId, pollMs: 1_000, until, note: null, answered: [] };
    const result = { text: '', isError: false, pending: { questions: {}, state: '', restarts: false, task } };
    await db.pool.query("insert into sessions (id, kind, title) values ($1, 'goal', 't')", [sessionId]);
    await db.pool.query('insert into steps (session_id, n) values ($1, 1)', [sessionId]);
    await db.pool.query(
      `insert into actions (id, session_id, step_number, n, kind, call_id, tool, label, arguments, state, result)
       values ($1, $2, 1, 1, 'tool', 'c', 'a__b', 'a.b', '{}', $3, $4)`,
      [id, sessionId, state, result],
    );
    return id;
  }
  const isKept = async (id: string): Promise<boolean> =>
    (await db.pool.query('select result from actions where id = $1', [id])).rows[0].result !== null;
  const cancel = (isThere: boolean) =>
    cancelAbandonedTasks(db, {
      cancelTask: ({ taskId }) => {
        cancelled.push(taskId);
        return Promise.resolve(isThere);
      },
    });

  it('an abandoned MCP task is cancelled once, and the task of an active call is never cancelled', async () => {
    const [lost, skipped] = [await left('lost', 'lost'), await left('skipped', 'skipped')];
    const others = await Promise.all(['started', 'halted', 'approved'].map((state) => left(state, state)));
    await cancel(true);
    await cancel(true);
    expect(cancelled.toSorted()).toEqual(['lost', 'skipped']);
    expect(await Promise.all([lost, skipped].map(isKept))).toEqual([false, false]);
    expect(await Promise.all(others.map(isKept))).toEqual([true, true, true]);
  });

  it('cancelling an abandoned MCP task is retried while its server is unavailable, until the deadline', async () => {
    const id = await left('away', 'lost');
    await cancel(false);
    expect([cancelled, await isKept(id)]).toEqual([['away'], true]);
    await cancel(true);
    expect([cancelled, await isKept(id)]).toEqual([['away', 'away'], false]);

    const old = await left('old', 'lost', '2001-01-01T00:00:00.000Z');
    await cancel(false);
    expect([cancelled.includes('old'), await isKept(old)]).toEqual([false, false]);
  });
});
