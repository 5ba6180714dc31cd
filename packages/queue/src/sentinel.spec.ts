import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Notice } from '@aish/contracts/events';
import { advanceGoal } from '@aish/contracts/jobs';
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { openBus, openQueue, type StoreOptions } from './index.js';

const NAME = 'home';
const PASSWORD = 'of-the-servers';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port on this machine');
  return address.port;
}

/** Starts one Redis process in a container on the host's network. The process ends by itself. */
function start(port: number, logs: RegExp, ...args: string[]): Promise<StartedTestContainer> {
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  const own = ['--port', String(port), '--bind', '127.0.0.1', ...args];
  return new GenericContainer('redis:8.6.7')
    .withNetworkMode('host')
    .withCommand(['timeout', '600', 'redis-server', ...own])
    .withWaitStrategy(Wait.forLogMessage(logs))
    .withStartupTimeout(60_000)
    .start();
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) if (await isSo()) return;
  throw new Error(`not within 60 s: ${what}`);
}

describe('Redis behind Sentinels', () => {
  const containers: StartedTestContainer[] = [];
  let options: StoreOptions;
  const errors: unknown[] = [];

  beforeAll(async () => {
    const [first, second, sentinel] = [await freePort(), await freePort(), await freePort()];
    const auth = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
    const ready = /Ready to accept connections/;
    containers.push(await start(first, ready, ...auth, '--appendonly', 'yes'));
    containers.push(
      await start(second, /Finished with success/, ...auth, '--appendonly', 'yes', '--replicaof', `127.0.0.1 ${first}`),
    );
    const conf = [
      `port ${sentinel}`,
      'bind 127.0.0.1',
      'dir /tmp',
      `sentinel monitor ${NAME} 127.0.0.1 ${first} 1`,
      `sentinel auth-pass ${NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 5000`,
    ].join('\n');
    containers.push(
      await new GenericContainer('redis:8.6.7')
        .withNetworkMode('host')
        .withCommand([
          'sh',
          '-c',
          `printf '%s\\n' "$1" > /tmp/sentinel.conf && exec timeout 600 redis-server /tmp/sentinel.conf --sentinel`,
          'sh',
          conf,
        ])
        .withWaitStrategy(Wait.forLogMessage(/\+slave slave/))
        .withStartupTimeout(60_000)
        .start(),
    );
    options = {
      databaseUrl: 'postgresql://unused',
      redisUrl: `redis://:${PASSWORD}@nowhere.invalid/0`,
      redisSentinels: { name: NAME, addresses: [{ host: '127.0.0.1', port: sentinel }] },
      onError: (error) => errors.push(error),
    };
  }, 120_000);

  afterAll(() => Promise.all(containers.map((container) => container.stop({ timeout: 0 }))), 60_000);

  it('the queue and the bus continue when the first Redis server dies and the second takes over', async () => {
    const queue = await openQueue(options);
    const bus = await openBus(options);
    const job = { ...advanceGoal, queue: `test-${randomUUID()}` };
    const handled: string[] = [];
    const received: string[] = [];
    queue.work(job, async ({ goalId }) => void handled.push(goalId), { concurrency: 1 });
    await bus.subscribe((notice: Notice) => {
      if (notice.type === 'cancel') received.push(notice.goalId);
    });
    try {
      const [before, after] = [randomUUID(), randomUUID()];
      await queue.add(job, { goalId: before });
      await until('the first job is handled', () => handled.includes(before));
      await containers[0]?.stop({ timeout: 0 });
      await until('a job can be added again', () =>
        queue.add(job, { goalId: after }).then(
          () => true,
          () => false,
        ),
      );
      await until('it is handled', () => handled.includes(after));
      await until('the bus speaks again', async () => {
        await bus.publish({ type: 'cancel', goalId: after }).catch(() => undefined);
        return received.includes(after);
      });
      expect(handled.filter((id) => id === before)).toHaveLength(1);
    } finally {
      await queue.close();
      await bus.close();
    }
  }, 120_000);
});
