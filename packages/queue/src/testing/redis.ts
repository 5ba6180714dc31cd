import { createServer } from 'node:net';
import { invariant } from '@aish/contracts/invariant';
import { GenericContainer, Wait, getContainerRuntimeClient } from 'testcontainers';

export interface TestRedis {
  readonly url: string;
  /** Stops the server, so that its connections break. `start` restores it on the same port, with its data. */
  stop(): Promise<void>;
  /** Stops the server with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Removes the container. */
  drop(): Promise<void>;
}

const IMAGE = 'redis:8.6.7';
const LABEL = 'aish.test-redis';
/** The lifetime of the container in seconds. It ends by itself, so that a killed suite leaves nothing running. */
const LIFETIME_SECONDS = 1_800;

/**
 * Starts Redis in a container, for one suite. It shares the host's network and listens only on 127.0.0.1, because
 * bridge networks do not work on every test machine.
 */
export async function startTestRedis(): Promise<TestRedis> {
  // The cleanup container for crashed runs needs an image that an offline machine does not have.
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
  // This does not use testcontainers, which forgets a container after stopping it and never removes it.
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

/** Removes ended containers of killed suites. A container that a suite stopped to start it again is younger. */
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
