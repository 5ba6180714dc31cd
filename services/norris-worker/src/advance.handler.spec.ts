import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { GoalRunResult } from '@aish/sessions';
import { AdvanceHandler } from './advance.handler.js';
import { WorkerHealth } from './health.controller.js';
import { until, useWorkerWorld } from './testing/worker-world.js';

const NOT_RUN: GoalRunResult = { ran: false, wakeInMs: null, priority: 'normal' };

describe('the job that runs a goal', () => {
  const world = useWorkerWorld();

  /** Creates a handler with this runner. */
  const handlerOf = (run: (goalId: string, signal: AbortSignal) => Promise<GoalRunResult>): AdvanceHandler =>
    new AdvanceHandler({ run }, world.queue, world.bus);
  const never = new AbortController().signal;

  it('the job of a goal is queued again only if the goal waits', async () => {
    const [waits, ends] = [randomUUID(), randomUUID()];
    const handler = handlerOf((goalId) =>
      Promise.resolve({ ran: true, wakeInMs: goalId === waits ? 50 : null, priority: 'high' }),
    );
    const jobs = world.jobs();
    await handler.handle({ goalId: ends }, never);
    await handler.handle({ goalId: waits }, never);
    await until('it runs again', () => jobs.goalIds.length > 0);
    expect(jobs.goalIds).toEqual([waits]);
  }, 60_000);

  it('a cancel on the bus stops the job of its goal at once, and no other job', async () => {
    const [cancelled, other] = [randomUUID(), randomUUID()];
    const stopped: string[] = [];
    const handler = handlerOf(async (goalId, signal) => {
      await sleep(20_000, undefined, { signal }).catch(() => stopped.push(goalId));
      return NOT_RUN;
    });
    await handler.start();
    const leaving = new AbortController();
    const jobs = [handler.handle({ goalId: cancelled }, never), handler.handle({ goalId: other }, leaving.signal)];
    await world.bus.publish({ type: 'cancel', goalId: cancelled });
    await jobs[0];
    expect(stopped).toEqual([cancelled]);
    leaving.abort();
    await jobs[1];
    expect(stopped).toEqual([cancelled, other]);
    await handler.stop();
  }, 60_000);

  it('a goal can still be stopped after a second job for it has ended', async () => {
    const goalId = randomUUID();
    let isStopped = false;
    let n = 0;
    const handler = handlerOf(async (_, signal) => {
      n += 1;
      if (n > 1) return NOT_RUN;
      await sleep(20_000, undefined, { signal }).catch(() => (isStopped = true));
      return NOT_RUN;
    });
    await handler.start();
    const first = handler.handle({ goalId }, never);
    await handler.handle({ goalId }, never);
    await world.bus.publish({ type: 'cancel', goalId });
    await first;
    expect(isStopped).toBe(true);
    await handler.stop();
  }, 60_000);

  it('a worker reports whether it reaches the database and the queue', async () => {
    expect(await new WorkerHealth(world.db, world.queue).check()).toMatchObject({
      status: 'ok',
      checks: { database: { ok: true }, queue: { ok: true } },
    });
    const counts = () => Promise.reject(new Error('no queue'));
    const { status, checks } = await new WorkerHealth(world.db, { ...world.queue, counts }).check();
    expect([status, checks['database']?.ok, checks['queue']?.ok]).toEqual(['down', true, false]);
  });
});
