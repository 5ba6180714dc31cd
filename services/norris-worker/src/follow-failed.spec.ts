import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CreateGoal } from '@aish/contracts/goals';
import { listEvents } from '@aish/database/events.repository';
import { listGoals } from '@aish/database/goals.repository';
import { listTurns } from '@aish/database/turns.repository';
import { createFollowUps } from './follow-failed.js';
import { useWorkerWorld } from './testing/worker-world.js';

const RETRY = { times: 1, afterMs: 10_000 };

describe('a goal that has failed', () => {
  const world = useWorkerWorld();

  const sweep = () => createFollowUps({ ...world.ports, maxSteps: 16 });
  const newest = async () => (await listGoals(world.db.statements, { archived: false, limit: 1 }))[0];
  const failedGoal = (text: string, more: Partial<CreateGoal>) =>
    world.goal({ text, ...more }, { type: 'failed', reason: 'it broke' });
  const endedLongAgo = (id: string) =>
    world.db.pool.query(`update goals set ended_at = now() - interval '1 hour' where id = $1`, [id]);

  it('a failed goal is retried once after its delay, even if several sweeps run in parallel', async () => {
    const { id, sessionId } = await failedGoal('again', { retry: RETRY });
    await sweep();
    expect(world.queued).toEqual([]);
    await endedLongAgo(id);
    await Promise.all([sweep(), sweep(), sweep()]);
    const second = await newest();
    expect([second?.text, world.queued]).toEqual(['again', [second?.id]]);
    const turns = await listTurns(world.db.statements, second?.sessionId ?? '');
    expect(turns.at(-1)?.content).toMatch(/^\[aish\] this is attempt 2 of 2/);
    const events = await listEvents(world.db.statements, sessionId, 0, 100);
    expect(events.at(-1)?.body).toMatchObject({ text: `[aish] retried as goal ${second?.number}` });
    await world.db.pool.query(`update goals set state = 'failed', ended_at = now() - interval '1 day' where id = $1`, [
      second?.id,
    ]);
    await sweep();
    expect(world.queued).toHaveLength(1);
  });

  it('a failed goal starts its follow-up goal, which has no follow-up of its own', async () => {
    const { number } = await failedGoal('watched', { onFailed: { text: 'Find out why' } });
    await sweep();
    const after = await newest();
    expect([after?.text, world.queued]).toEqual(['Find out why', [after?.id]]);
    const turns = await listTurns(world.db.statements, after?.sessionId ?? '');
    expect(turns.at(-1)?.content).toContain(`Goal ${number} ended failed`);
    await world.db.pool.query(`update goals set state = 'failed', ended_at = now() where id = $1`, [after?.id]);
    await sweep();
    await sweep();
    expect(world.queued).toHaveLength(1);
  });

  it('a retry inherits the event and the schedule of its goal, but a follow-up goal does not', async () => {
    const [eventId, scheduleId] = [randomUUID(), randomUUID()];
    const { pool } = world.db;
    const { id } = await failedGoal('of an event', { retry: RETRY, onFailed: { text: 'Look after it' } });
    await pool.query(`insert into event_sources (name, proof, sealed, created_by) values ('alerts', 'token', '', 'p')`);
    await pool.query(
      `insert into received_events (id, source, outcome, goal_id, body) values ($1, 'alerts', 'goal', $2, '{}')`,
      [eventId, id],
    );
    await pool.query(
      `insert into schedules (id, cron, timezone, overlap, goal, created_by) values ($1, '0 3 * * *', 'UTC', 'skip', '{}', 'p')`,
      [scheduleId],
    );
    await pool.query('update goals set schedule_id = $2 where id = $1', [id, scheduleId]);
    const belongs = async () => {
      const { rows } = await pool.query<{ goal_id: string }>('select goal_id from received_events');
      return rows[0]?.goal_id;
    };
    await endedLongAgo(id);
    await sweep();
    const second = await newest();
    expect([second?.text, second?.scheduleId, await belongs()]).toEqual(['of an event', scheduleId, second?.id]);
    await pool.query(`update goals set state = 'failed', ended_at = now() - interval '1 day' where id = $1`, [
      second?.id,
    ]);
    await sweep();
    const after = await newest();
    expect([after?.text, after?.scheduleId, await belongs()]).toEqual(['Look after it', null, second?.id]);
  });

  it('a follow-up that cannot be created is reported, and not retried forever', async () => {
    const runbook = { name: 'gone', parameters: {} };
    const { sessionId } = await failedGoal('lonely', { onFailed: { text: 'Look', runbook } });
    await sweep();
    await sweep();
    const events = await listEvents(world.db.statements, sessionId, 0, 100);
    const noticed = events.filter(({ body }) => body.type === 'goal.noticed');
    expect(noticed.map(({ body }) => body)).toMatchObject([{ text: expect.stringContaining('no follow-up goal') }]);
    expect(world.queued).toEqual([]);
  });
});
