import { createServer } from 'node:net';
import { invariant } from '@aish/contracts/invariant';
import { GenericContainer, Wait, getContainerRuntimeClient } from 'testcontainers';

export interface TestRedis {
  readonly url: string;
  /** Stops the server; its connections break. `start` gives it back on the same port, with its data. */
  stop(): Promise<void>;
  /** The same with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Removes the container. */
  drop(): Promise<void>;
}

const IMAGE = 'redis:8.6.7';
const LABEL = 'aish.test-redis';
/** It ends by itself, so that a suite that was killed leaves nothing running. */
const LIFETIME_SECONDS = 1_800;

/**
 * A Redis in a container, for one suite. It shares the host's network and listens on 127.0.0.1 only: bridge networks
 * do not work on every machine that tests run on.
 */
export async function startTestRedis(): Promise<TestRedis> {
  // The helper container that cleans up after crashed runs needs an image that an offline machine does not have.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  await removeForgotten();
  const port = await freePort();
  const container = await new GenericContainer(IMAGE)
    .withNetworkMode('host')
    .withLabels({ [LABEL]: 'true' })
    .withCommand([
      'timeout',
      String(LIFETIME_SECONDS),
      'redis-server',
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--appendonly',
      'yes',
    ])
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(60_000)
    .start();
  // Not through testcontainers: once it has stopped a container, it takes it for gone and never removes it.
  const { container: runtime } = await getContainerRuntimeClient();
  const engine = runtime.getById(container.getId());
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => engine.stop({ t: 5 }),
    kill: () => engine.kill({ signal: 'SIGKILL' }),
    start: () => engine.start(),
    drop: () => engine.remove({ force: true, v: true }),
  };
}

/** Containers of suites that were killed, ended since. One that a suite has stopped to start it again is younger. */
async function removeForgotten(): Promise<void> {
  const { container } = await getContainerRuntimeClient();
  const filters = { label: [LABEL], status: ['exited'] };
  const old = await container.dockerode.listContainers({ all: true, filters });
  for (const { Id, Created } of old) {
    const ageSeconds = Date.now() / 1000 - Created;
    if (ageSeconds > LIFETIME_SECONDS) await container.dockerode.getContainer(Id).remove({ force: true, v: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  invariant(address !== null && typeof address !== 'string', 'a server that listens has a port');
  return address.port;
}
