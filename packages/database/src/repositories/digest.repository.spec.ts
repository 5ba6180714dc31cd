import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from '../client.js';
import { newChat, newGoal } from '../testing/new-sessions.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { readDigest } from './digest.repository.js';

const WEEK_MS = 7 * 86_400_000;

describe('what a digest is made of', () => {
  let made: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    made = await createTestDatabase();
    db = connectDatabase(made.url, { max: 4 });
  }, 120_000);
  afterAll(async () => {
    await db?.close();
    await made?.drop();
  });

  const run = (sql: string, values: readonly unknown[]) => db.pool.query(sql, [...values]);
  const step = (sessionId: string, n: number, usage: object | null, at = 'now()') =>
    run(`insert into steps (session_id, n, usage, answered_at) values ($1, $2, $3, ${at})`, [sessionId, n, usage]);
  const effects = (created: number, deleted: number) => {
    const share = (files: number) => ({ files, bytes: files * 10, paths: [] });
    return { created: share(created), changed: share(0), deleted: share(deleted), complete: true };
  };
  const action = (sessionId: string, n: number, outcome: object, at = 'now()') =>
    run(
      `insert into actions (id, session_id, step_number, n, kind, command, state, outcome, ended_at)
       values ($1, $2, 1, $3, 'command', 'x', 'finished', $4, ${at})`,
      [randomUUID(), sessionId, n, outcome],
    );
  const decision = (goal: { id: string; sessionId: string }, state: string, asked: string, decided: string) =>
    run(
      `insert into decisions (id, session_id, kind, goal_id, state, reason, action, context, verdict, decided_by, created_at, decided_at)
       values ($1, $2, 'check', $3, $4, 'r', 'rm x', '', $5, case when $5::text is not null then 'ann' end, ${asked}, ${decided})`,
      [randomUUID(), goal.sessionId, goal.id, state, state === 'decided' ? 'skip' : null],
    );
  const onHost = (goal: { id: string; sessionId: string }, verdict: string, at = 'now()') =>
    run(
      `insert into host_commands (id, host, command, verdict, session_id, goal_id, action_id, at)
       values ($1, 'nas', 'ls', $2, $3, $4, $5, ${at})`,
      [randomUUID(), verdict, goal.sessionId, goal.id, randomUUID()],
    );
  const LONG_AGO = `now() - interval '10 days'`;

  it('is what ended, was asked, ran and was read in these days, and what waits now', async () => {
    const [ended, old, waiting] = [await newGoal(db), await newGoal(db), await newGoal(db)];
    const chat = await newChat(db, { preset: 'big' });
    await run(`update goals set state = 'done', verified = true, ended_at = now() where id = $1`, [ended.id]);
    await run(`update goals set state = 'done', ended_at = ${LONG_AGO} where id = $1`, [old.id]);
    await run(`update goals set state = 'halted', created_at = ${LONG_AGO} where id = $1`, [waiting.id]);

    const usage = { promptTokens: 100, completionTokens: 7, cachedTokens: null };
    await step(ended.sessionId, 1, { ...usage, energyJ: 2.5 });
    await step(ended.sessionId, 2, usage);
    await step(ended.sessionId, 3, usage, LONG_AGO);
    await step(chat, 1, usage);
    await step(waiting.sessionId, 1, null);

    await action(ended.sessionId, 1, { effects: effects(3, 1) });
    await action(ended.sessionId, 2, { effects: effects(2, 0), held: { verdict: 'kept' } });
    await action(ended.sessionId, 3, { effects: effects(50, 0), held: { verdict: 'dropped' } });
    await action(ended.sessionId, 4, { effects: effects(50, 0) }, LONG_AGO);
    await action(ended.sessionId, 5, {});
    await run(`insert into events (session_id, seq, type, payload) values ($1, 1, 'action.undone', '{}')`, [
      ended.sessionId,
    ]);

    await decision(ended, 'decided', `now() - interval '3 seconds'`, 'now()');
    await decision(ended, 'decided', LONG_AGO, `${LONG_AGO} + interval '1 hour'`);
    await decision(ended, 'withdrawn', `now() - interval '1 second'`, 'now()');
    await decision(waiting, 'pending', LONG_AGO, 'null');

    for (const verdict of ['read-only', 'approved', 'prelude', 'refused']) await onHost(ended, verdict);
    await onHost(ended, 'read-only', LONG_AGO);

    const to = new Date(Date.now() + 1_000);
    const read = await readDigest(db.statements, new Date(to.getTime() - WEEK_MS), to);
    expect(read.goals).toEqual([
      { number: waiting.number, text: 'x', state: 'halted', verified: false },
      { number: ended.number, text: 'x', state: 'done', verified: true },
    ]);
    expect(
      read.halts.map(({ goal, state, verdict, wasAsked, wasSettled }) => [goal, state, verdict, wasAsked, wasSettled]),
    ).toEqual([
      [waiting.number, 'pending', null, false, false],
      [ended.number, 'withdrawn', null, true, true],
      [ended.number, 'decided', 'skip', true, true],
    ]);
    expect(read.halts.at(-1)?.waitedMs).toBe(3_000);
    expect(read.effects).toEqual({
      created: { files: 5, bytes: 50 },
      changed: { files: 0, bytes: 0 },
      deleted: { files: 1, bytes: 10 },
      undone: 1,
    });
    expect(read.hosts).toEqual([{ host: 'nas', goal: ended.number, commands: 2, refused: 1 }]);
    expect(read.models).toEqual([
      { preset: 'big', read: 100, written: 7, energyJ: null },
      { preset: 'fast', read: 200, written: 14, energyJ: 2.5 },
    ]);

    // A day in which all of this was to come.
    const before = await readDigest(
      db.statements,
      new Date(to.getTime() - 3 * WEEK_MS),
      new Date(to.getTime() - 2 * WEEK_MS),
    );
    expect(before.goals).toEqual([]);
    expect([before.halts, before.hosts, before.models, before.effects.created.files]).toEqual([[], [], [], 0]);
  });
});
