import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { readLabWork } from './lab-work.repository.js';

const DAY_MS = 86_400_000;

describe('goals and decisions of a brief', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  it('a brief counts the waiting decisions and the goals that ended since a time, and names the newest', async () => {
    const since = new Date(Date.now() - DAY_MS);
    // The goals below end before this time, however slow the machine is.
    const until = new Date(Date.now() + DAY_MS);
    const read = () => readLabWork(db.statements, since, until);
    expect(await read()).toEqual({ waiting: { count: 0, named: [] }, ended: [] });
    for (let at = 1; at <= 7; at += 1) {
      const { id } = await newGoal(db);
      await db.pool.query(`update goals set state = 'done', ended_at = now() where id = $1`, [id]);
    }
    const [old, halted] = [await newGoal(db), await newGoal(db)];
    await db.pool.query(`update goals set state = 'failed', ended_at = now() - interval '2 days' where id = $1`, [
      old.id,
    ]);
    await db.pool.query(
      `insert into decisions (id, session_id, kind, goal_id, state, reason, action, context)
       values ($1, $2, 'check', $3, 'pending', 'r', 'rm x', '')`,
      [randomUUID(), halted.sessionId, halted.id],
    );
    expect(await read()).toEqual({
      waiting: { count: 1, named: [{ number: 1, goal: 9 }] },
      ended: [{ state: 'done', count: 7, named: [7, 6, 5, 4, 3] }],
    });
  });
});
