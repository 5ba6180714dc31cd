import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { listEvents } from '@aish/database/events.repository';
import { listActions, listSteps } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import { Retention } from './retention.js';
import { halting, until, useWorkerWorld } from './testing/worker-world.js';

describe('the setting GOAL_EVENTS_DAYS', () => {
  const world = useWorkerWorld();

  it('GOAL_EVENTS_DAYS deletes the events of an old goal but not its record, and 0 deletes nothing', async () => {
    const { db } = world;
    const ended = { type: 'cancelled', by: 'p', outcomes: {} } as const;
    const { id, sessionId } = await world.goal({}, ...halting(randomUUID()), ended);
    await db.pool.query(`update goals set ended_at = now() - interval '40 days' where id = $1`, [id]);
    await db.pool.query(`update sessions set updated_at = now() - interval '40 days' where id = $1`, [sessionId]);
    const events = async () => (await listEvents(db.statements, sessionId, 0, 100)).map(({ body }) => body.type);
    const record = async () =>
      JSON.stringify([
        await listTurns(db.statements, sessionId),
        await listSteps(db.statements, sessionId),
        await listActions(db.statements, sessionId),
      ]);
    const [whole, before] = [await events(), await record()];
    const never = new Retention(db, world.logger, 0);
    never.start();
    await never.stop();
    expect(await events()).toEqual(whole);

    const retention = new Retention(db, world.logger, 30);
    retention.start();
    await until('the story is forgotten', async () => !(await events()).includes('step.answered'));
    await retention.stop();
    expect(await events()).toEqual([
      'goal.created',
      'goal.changed',
      'decision.requested',
      'goal.changed',
      'decision.withdrawn',
      'goal.changed',
    ]);
    expect(await record()).toBe(before);
    expect(world.logged).toEqual([]);
  });
});
