import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Notice } from '@aish/contracts/events';
import { advanceGoal } from '@aish/contracts/jobs';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { Client } from 'pg';
import { openBus, type EventBus } from './event-bus.js';
import { openQueue, type QueueStore } from './queue-store.js';
import type { StoreOptions } from './store-options.js';
import { startTestRedis, type TestRedis } from './testing/redis.js';

jest.setTimeout(90_000);

let database: TestDatabase;
let redis: TestRedis;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase({ migrated: false }), startTestRedis()]);
});

afterAll(async () => {
  await Promise.all([database.drop(), redis.drop()]);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for something that must happen. A wait of 30 s means a hang. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(20)) if (await isSo()) return;
  throw new Error(`not within 30 s: ${what}`);
}

describe.each(['postgres', 'redis'] as const)('the queue and the event bus on %s', (store) => {
  const optionsOf = (onError: (error: unknown) => void): StoreOptions => ({
    databaseUrl: database.url,
    ...(store === 'redis' ? { redisUrl: redis.url } : {}),
    onError,
  });

  describe('the queue', () => {
    let queue: QueueStore;
    let errors: unknown[];
    const job = { ...advanceGoal, queue: '' };

    beforeEach(async () => {
      errors = [];
      job.queue = `test-${randomUUID()}`;
      queue = await openQueue(optionsOf((error) => errors.push(error)));
    });

    afterEach(() => queue.close());

    it('the queue gives each job to exactly one of two workers', async () => {
      const goals = Array.from({ length: 20 }, () => randomUUID());
      const handled: string[] = [];
      const take = async ({ goalId }: { goalId: string }) => void handled.push(goalId);
      const other = await openQueue(optionsOf((error) => errors.push(error)));
      queue.work(job, take, { concurrency: 2 });
      other.work(job, take, { concurrency: 2 });
      for (const goalId of goals) await queue.add(job, { goalId });
      await until('all are handled', () => handled.length >= goals.length);
      await pause(200);
      expect(handled.toSorted()).toEqual(goals.toSorted());
      await other.close();
      expect(errors).toEqual([]);
    });

    it('the queue runs as many jobs at once as its options allow', async () => {
      let inside = 0;
      let most = 0;
      let done = 0;
      const slow = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        await pause(100);
        inside -= 1;
        done += 1;
      };
      for (let n = 0; n < 9; n += 1) await queue.add(job, { goalId: randomUUID() });
      queue.work(job, slow, { concurrency: 3 });
      await until('all are done', () => done === 9);
      expect(most).toBe(3);
    });

    it('the queue does not run a delayed job before its time', async () => {
      const handled: number[] = [];
      queue.work(job, async () => void handled.push(Date.now()), { concurrency: 1 });
      const added = Date.now();
      await queue.add(job, { goalId: randomUUID() }, { delayMs: 700 });
      expect(await queue.counts(job.queue)).toMatchObject({ delayed: 1 });
      await until('it runs', () => handled.length === 1);
      expect((handled[0] ?? 0) - added).toBeGreaterThanOrEqual(695);
    });

    it('the queue runs urgent jobs first, and jobs of the same priority in order of arrival', async () => {
      const given = (['low', 'normal', 'high', 'low', 'high', 'normal'] as const).map((priority) => ({
        goalId: randomUUID(),
        priority,
      }));
      for (const { goalId, priority } of given) await queue.add(job, { goalId }, { priority });
      const handled: string[] = [];
      queue.work(job, async ({ goalId }) => void handled.push(goalId), { concurrency: 1 });
      await until('all are handled', () => handled.length === given.length);
      const order = [2, 4, 1, 5, 0, 3].map((n) => given[n]?.goalId);
      expect(handled).toEqual(order);
    });

    it('the queue drops a second job with the same key while the first waits or runs, and accepts it afterwards', async () => {
      let release = (): void => undefined;
      let runs = 0;
      const body = async (): Promise<void> => {
        runs += 1;
        if (runs === 1) await new Promise<void>((resolve) => (release = resolve));
      };
      const goalId = randomUUID();
      await queue.add(job, { goalId }, { once: goalId });
      await queue.add(job, { goalId }, { once: goalId });
      expect(await queue.counts(job.queue)).toMatchObject({ waiting: 1 });
      queue.work(job, body, { concurrency: 2 });
      await until('the first runs', () => runs === 1);
      await queue.add(job, { goalId }, { once: goalId });
      release();
      await until('the first is over', async () => (await queue.counts(job.queue)).active === 0);
      expect(runs).toBe(1);
      await queue.add(job, { goalId }, { once: goalId });
      await until('the next runs', () => runs === 2);
    });

    it('the queue reports a handler that throws, and does not run the job again', async () => {
      let runs = 0;
      const fail = async (): Promise<void> => {
        runs += 1;
        throw new Error('the handler broke');
      };
      queue.work(job, fail, { concurrency: 1 });
      await queue.add(job, { goalId: randomUUID() });
      await until('it is told', () => errors.length > 0);
      await pause(300);
      expect(runs).toBe(1);
      expect(String(errors[0])).toContain('the handler broke');
      expect(await queue.counts(job.queue)).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 1 });
    });

    it('the queue refuses an invalid payload both when a job is added and when it is run', async () => {
      await expect(queue.add(job, { goalId: 'no uuid' })).rejects.toThrow(/goalId/);
      const loose = { ...job, payload: advanceGoal.payload.partial() };
      await queue.add(loose, {});
      let runs = 0;
      queue.work(job, async () => void (runs += 1), { concurrency: 1 });
      await until('it is told', () => errors.length > 0);
      expect({ runs, failed: (await queue.counts(job.queue)).failed }).toEqual({ runs: 0, failed: 1 });
    });

    it('a closing worker aborts its jobs and gives them to another worker at once', async () => {
      const goalId = randomUUID();
      let began = false;
      const obedient = (_: unknown, signal: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          began = true;
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      const worker = queue.work(job, obedient, { concurrency: 1 });
      await queue.add(job, { goalId });
      await until('it began', () => began);
      await worker.close(10_000);
      const again: string[] = [];
      queue.work(job, async (payload) => void again.push(payload.goalId), { concurrency: 1 });
      await until('another takes it', () => again.length === 1);
      expect(again).toEqual([goalId]);
    });

    it('a worker closes in time even if a handler ignores its signal', async () => {
      let began = false;
      let release = (): void => undefined;
      const deaf = () =>
        new Promise<void>((resolve) => {
          began = true;
          release = resolve;
        });
      const worker = queue.work(job, deaf, { concurrency: 1 });
      await queue.add(job, { goalId: randomUUID() });
      await until('it began', () => began);
      await expect(worker.close(200)).resolves.toBeUndefined();
      release();
    });

    it('a worker closes in time while its store is unavailable', async () => {
      const worker = queue.work(job, async () => undefined, { concurrency: 1 });
      await queue.counts(job.queue);
      if (store === 'redis') {
        await redis.kill();
        await until('the loss is noticed', () => errors.length > 1);
      }
      await expect(worker.close(200)).resolves.toBeUndefined();
      if (store === 'redis') await redis.start();
    }, 20_000);

    it('another worker gets the job of a killed worker', async () => {
      const goalId = randomUUID();
      await queue.add(job, { goalId });
      const doomed = startHangingWorker(
        job.queue,
        optionsOf(() => undefined),
      );
      await firstOutput(doomed);
      doomed.kill('SIGKILL');
      await once(doomed, 'exit');
      const taken: string[] = [];
      queue.work(job, async (payload) => void taken.push(payload.goalId), { concurrency: 1 });
      await until('another takes it', () => taken.length > 0);
      expect(taken).toEqual([goalId]);
    });
  });

  describe('the event bus', () => {
    let errors: unknown[];
    let buses: EventBus[];
    const open = async (): Promise<EventBus> => {
      const bus = await openBus(optionsOf((error) => errors.push(error)));
      buses.push(bus);
      return bus;
    };

    beforeEach(() => {
      errors = [];
      buses = [];
    });

    afterEach(async () => {
      await Promise.all(buses.map((bus) => bus.close()));
    });

    const live = (text: string): Notice => ({
      type: 'live',
      sessionId: '11111111-1111-4111-8111-111111111111',
      body: { type: 'model.delta', goalId: '22222222-2222-4222-8222-222222222222', step: 1, text },
    });
    const cancel = (): Notice => ({ type: 'cancel', goalId: randomUUID() });

    it('the bus delivers every notice in order to each process until it unsubscribes', async () => {
      const [here, there] = [await open(), await open()];
      const received: [Notice[], Notice[]] = [[], []];
      await here.subscribe((notice) => received[0].push(notice));
      const stop = await there.subscribe((notice) => received[1].push(notice));
      const sent = Array.from({ length: 50 }, (_, n) => live(`${n % 7}`));
      await Promise.all(sent.map((notice) => here.publish(notice)));
      await until('both received everything', () => received.every((each) => each.length >= sent.length));
      expect(received).toEqual([sent, sent]);
      await stop();
      const last = cancel();
      await there.publish(last);
      await until('one received more', () => received[0].length > sent.length);
      expect(received[1]).toHaveLength(sent.length);
      expect(errors).toEqual([]);
    });

    it('the bus splits live text that is too large, and every character arrives in order', async () => {
      const bus = await open();
      const received: Notice[] = [];
      await bus.subscribe((notice) => received.push(notice));
      const text = 'ä👍"\\\n日本語\u0000'.repeat(4_000);
      await Promise.all([bus.publish(live(text)), bus.publish(live('after'))]);
      const parts = () =>
        received.map((notice) => (notice.type === 'live' && 'text' in notice.body ? notice.body.text : ''));
      await until('the last part', () => parts().includes('after'));
      expect(parts().join('')).toBe(`${text}after`);
      expect(Math.max(...received.map((notice) => Buffer.byteLength(JSON.stringify(notice))))).toBeLessThanOrEqual(
        7_500,
      );
      expect(errors).toEqual([]);
    });

    it('the bus drops invalid notices, and survives a subscriber that throws', async () => {
      const bus = await open();
      const received: Notice[] = [];
      await bus.subscribe(() => {
        throw new Error('a bad subscriber');
      });
      await bus.subscribe((notice) => received.push(notice));
      const rumour: Notice = JSON.parse('{"type":"rumour"}'); // This is a notice that another version may send.
      await bus.publish(rumour);
      const notice = cancel();
      await bus.publish(notice);
      await until('it is received', () => received.length > 0);
      expect(received).toEqual([notice]);
      expect(errors).toHaveLength(2);
    });

    it('the bus reports a gap after a lost connection, and receives notices again', async () => {
      const bus = await open();
      const received: Notice[] = [];
      let gaps = 0;
      await bus.subscribe(
        (notice) => received.push(notice),
        () => (gaps += 1),
      );
      await cutConnections();
      await until('the gap is told', () => gaps > 0);
      const notice = cancel();
      await bus.publish(notice);
      await until('it is received', () => received.length > 0);
      expect({ gaps, received }).toEqual({ gaps: 1, received: [notice] });
    });

    /** Breaks the listening connections, as a restart of the server would. */
    async function cutConnections(): Promise<void> {
      if (store === 'redis') {
        await redis.stop();
        await redis.start();
        return;
      }
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'aish bus (listen)'`,
      );
      await client.end();
      expect(rowCount).toBe(1);
    }
  });
});

/** Starts a process that takes one job and never finishes it. */
function startHangingWorker(queueName: string, options: StoreOptions): ChildProcess {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const script = `
    const { openQueue } = await import('@aish/queue');
    const { advanceGoal } = await import('@aish/contracts/jobs');
    const [queue, databaseUrl, redisUrl] = process.argv.slice(1);
    const store = await openQueue({ databaseUrl, ...(redisUrl ? { redisUrl } : {}) });
    const hang = () => { console.log('taken'); return new Promise(() => setInterval(() => undefined, 1000)); };
    store.work({ ...advanceGoal, queue }, hang, { concurrency: 1 });`;
  const args = ['--input-type=module', '-e', script, queueName, options.databaseUrl, options.redisUrl ?? ''];
  return spawn(process.execPath, args, { cwd: `${root}packages/queue`, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function firstOutput(child: ChildProcess): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  const ended = once(child, 'exit', { signal }).then(() => Promise.reject(new Error('the worker ended by itself')));
  await Promise.race([once(child.stdout ?? child, 'data', { signal }), ended]);
  ended.catch(() => undefined); // The process is killed next.
}
