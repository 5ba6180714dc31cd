import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CreateGoal } from '@aish/contracts/goals';
import { fireSchedule } from '@aish/contracts/jobs';
import type { Overlap } from '@aish/contracts/schedules';
import { AishError } from '@aish/contracts/problems';
import { listGoals } from '@aish/database/goals.repository';
import { findSchedule, insertSchedule } from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import { withMachine } from '@aish/sessions';
import { FireHandler, restoreSchedules } from './fire.handler.js';
import { ScheduledGoals } from './scheduled-goals.js';
import { until, useWorkerWorld } from './testing/worker-world.js';

const away = { describe: () => Promise.reject(new AishError('sandbox_unreachable', 'It is away')) };

describe('the goals of a schedule', () => {
  const world = useWorkerWorld();
  let fire: FireHandler;

  beforeAll(async () => {
    fire = new FireHandler(new ScheduledGoals(world.db, away, 16), world.queue, world.bus);
  }, 120_000);

  async function schedule(overlap: Overlap, cron = '0 3 * * *'): Promise<string> {
    const id = randomUUID();
    const goal = CreateGoal.parse({ text: `of ${id}`, priority: 'high' });
    await inTransaction(world.db, (tx) =>
      insertSchedule(tx, { id, cron, timezone: 'UTC', overlap, goal, createdBy: 'p' }),
    );
    return id;
  }
  const goalsOf = async (id: string) =>
    (await listGoals(world.db.statements, { archived: false, limit: 500 })).filter(({ text }) => text === `of ${id}`);

  it('a schedule creates one goal per scheduled time, even if its job is delivered several times', async () => {
    const id = await schedule('queue');
    const received: string[] = [];
    const stop = await world.bus.subscribe((notice) => {
      if (notice.type === 'events') received.push(...notice.types);
    });
    await Promise.all([fire.handle({ scheduleId: id }, 'one'), fire.handle({ scheduleId: id }, 'one')]);
    await fire.handle({ scheduleId: id }, 'one');
    expect(await goalsOf(id)).toHaveLength(1);
    await fire.handle({ scheduleId: id }, 'two');
    expect(await goalsOf(id)).toMatchObject([{ priority: 'high' }, { state: 'queued' }]);
    await until('both goals are announced', () => received.filter((type) => type === 'goal.created').length === 2);
    await stop();
  });

  it('a schedule that skips overlaps starts no goal while the previous one runs, and counts the skipped one', async () => {
    const id = await schedule('skip');
    await fire.handle({ scheduleId: id }, 'one');
    await fire.handle({ scheduleId: id }, 'two');
    const [goal] = await goalsOf(id);
    expect(await goalsOf(id)).toHaveLength(1);
    expect(await findSchedule(world.db.statements, id)).toMatchObject({ skipped: 1 });
    await inTransaction(world.db, (tx) =>
      withMachine(tx, goal?.id ?? '', () => Promise.resolve({ event: { type: 'failed', reason: 'r' } })),
    );
    await fire.handle({ scheduleId: id }, 'three');
    expect(await goalsOf(id)).toHaveLength(2);
  });

  it('a starting worker adds the schedules to the queue, and a deleted one is removed when it fires', async () => {
    const id = await schedule('skip', '* * * * *');
    const bad = await schedule('skip', 'no pattern');
    await restoreSchedules(world.db, world.queue, world.logger);
    expect(world.logged.join('')).toContain(bad);
    // Missed times start nothing, because each schedule waits for its next time.
    const restored = await world.queue.counts(fireSchedule.queue);
    expect(restored).toMatchObject({ waiting: 0, active: 0 });
    expect(restored.delayed).toBeGreaterThan(0);
    const gone = randomUUID();
    await world.queue.schedule(fireSchedule, gone, { cron: '0 3 * * *', timezone: 'UTC' }, { scheduleId: gone });
    const { delayed } = await world.queue.counts(fireSchedule.queue);
    await fire.handle({ scheduleId: gone }, 'one');
    expect((await world.queue.counts(fireSchedule.queue)).delayed).toBe(delayed - 1);
    expect(await goalsOf(id)).toHaveLength(0);
  });
});
