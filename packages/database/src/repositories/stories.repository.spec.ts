import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { appendEvents, listEvents } from './events.repository.js';
import { insertGoal } from './goals.repository.js';
import { forgetStories } from './stories.repository.js';

describe('the events of goals that ended long ago', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 3 });

  /**
   * Adds a goal with events.
   *
   * @param days since the goal ended; null for an open goal.
   * @param quietDays since the last activity in its session.
   */
  async function goal(days: number | null, quietDays = days ?? 0) {
    const [id, sessionId] = [randomUUID(), randomUUID()];
    await insertGoal(db.statements, { id, sessionId, text: 'x', preset: 'fast', stepBudget: 3, createdBy: 'p' });
    const changed = { goalId: id, reason: null, waitingFor: null, summary: 'it is' } as const;
    const events: readonly EventBody[] = [
      { type: 'goal.created', goalId: id, number: 1, text: 'x', preset: 'fast', stepBudget: 3 },
      { type: 'step.started', goalId: id, step: 1, stepBudget: 3 },
      { type: 'goal.noticed', goalId: id, text: 'told' },
      { type: 'grant.revoked', goalId: id, grantId: randomUUID(), by: 'p' },
      { type: 'goal.changed', ...changed, state: 'done' },
    ];
    await appendEvents(db.statements, sessionId, events);
    await db.pool.query(`update goals set ended_at = now() - $2::int * interval '1 day' where id = $1`, [id, days]);
    await db.pool.query(`update sessions set updated_at = now() - $2::int * interval '1 day' where id = $1`, [
      sessionId,
      quietDays,
    ]);
    return { id, sessionId };
  }
  const typesOf = async ({ sessionId }: { readonly sessionId: string }) =>
    (await listEvents(db.statements, sessionId, 0, 100)).map(({ seq, body }) => [seq, body.type]);
  const SHORT = [
    [1, 'goal.created'],
    [4, 'grant.revoked'],
    [5, 'goal.changed'],
  ];

  it('the events of an old goal are removed, but not those of an open, recent or discussed goal', async () => {
    const [old, young, open, talked] = [await goal(40), await goal(20), await goal(null), await goal(40, 1)];
    expect(await forgetStories(db.statements, 30, 10)).toBe(1);
    expect(await typesOf(old)).toEqual(SHORT);
    for (const whole of [young, open, talked]) expect(await typesOf(whole)).toHaveLength(5);
    expect(await forgetStories(db.statements, 30, 10)).toBe(0);
    // Later events get the next numbers, and are also removed when they are old.
    const later: EventBody = { type: 'goal.noticed', goalId: old.id, text: 'more' };
    expect(await appendEvents(db.statements, old.sessionId, [later])).toBe(6);
    await db.pool.query(`update goals set story_forgotten_at = now() - interval '99 days' where id = $1`, [old.id]);
    await db.pool.query(`update sessions set updated_at = now() - interval '40 days' where id = $1`, [old.sessionId]);
    expect(await forgetStories(db.statements, 30, 10)).toBe(1);
    expect(await typesOf(old)).toEqual(SHORT);
  });

  it('each batch of old goals is taken by only one of many processes', async () => {
    const goals = await Promise.all(Array.from({ length: 9 }, () => goal(50)));
    const counts = await Promise.all(Array.from({ length: 3 }, () => forgetStories(db.statements, 30, 3)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(9);
    while ((await forgetStories(db.statements, 30, 3)) > 0);
    for (const each of goals) expect(await typesOf(each)).toEqual(SHORT);
  });
});
