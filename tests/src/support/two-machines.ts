import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@aish/database/migrations/migrate';
import Docker from 'dockerode';
import { ApiClient } from './api.client.js';
import { closeAll } from './close-all.js';
import { eventually } from './eventually.js';
import { Machines, type Machine } from './machines.js';
import { ServiceProcess } from './service.process.js';
import { removeWorkspaces } from './workspaces.js';

/** The containers end by themselves after this time, so that a killed suite leaves nothing running. */
const LIFETIME_SECONDS = '600';
const PORT = { api: 7717, worker: 7718, sandbox: 7719, postgres: 5432, redis: 6379 } as const;

/**
 * Postgres, Redis, an api and the sandbox `default` on the first machine, and a worker and the sandbox `second` on the
 * other.
 */
export interface TwoMachines {
  readonly client: ApiClient;
  readonly worker: ServiceProcess;
  readonly secondSandbox: ServiceProcess;
  /** A worker for the first machine, which is not started. */
  readonly workerThere: ServiceProcess;
  /** The network between the machines. */
  readonly machines: Pick<Machines, 'first' | 'second' | 'cut' | 'join'>;
  /** The path of the first machine's token. */
  readonly tokenFile: string;
  /** Removes everything. */
  stop(): Promise<void>;
}

type Closer = () => Promise<unknown>;

/** @param modelPort the port of a model endpoint that listens on all addresses */
export async function startTwoMachines(modelPort: string): Promise<TwoMachines> {
  const closers: Closer[] = [];
  const stop = () => closeAll(...closers.toReversed());
  try {
    return { ...(await build(modelPort, (closer) => void closers.push(closer))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(modelPort: string, atEnd: (closer: Closer) => void): Promise<Omit<TwoMachines, 'stop'>> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-machines-'));
  atEnd(() => rm(dir, { recursive: true, force: true }));
  const password = randomBytes(18).toString('hex');
  const machines = await Machines.start(await startStores(password, atEnd));
  atEnd(() => machines.remove());
  const { first, second } = machines;
  const databaseAt = (host: string) => `postgresql://postgres:${password}@${host}:${PORT.postgres}/aish`;
  // The first start is complete when the server answers over the network.
  await eventually('there is a database', () => migrate(databaseAt(first.fromTest), { createDatabase: true }));

  const token = randomBytes(24).toString('hex');
  const service = (name: string, folder: string, machine: Machine, port: number, env: Record<string, string>) => {
    const settings = {
      HOST: '0.0.0.0',
      HEALTH_HOST: '0.0.0.0',
      DATABASE_URL: databaseAt(first.address),
      REDIS_URL: `redis://:${password}@${first.address}:${PORT.redis}`,
      SANDBOX_URL: `http://${first.address}:${PORT.sandbox}`,
      SANDBOXES: `second=http://${second.address}:${PORT.sandbox}`,
      SANDBOX_TOKEN: token,
      FAST_BASE_URL: `http://${machine.test}:${modelPort}`,
      SAFETY_SECOND_OPINION: 'off', // a scripted model has no second opinion
      WAIT_MIN_MS: '200',
      WAIT_MAX_MS: '1000',
      ...env,
    };
    const health = `http://${machine.fromTest}:${port}/v1/health`;
    const main = `services/${folder}/dist/bundle/main.js`;
    const its = new ServiceProcess(name, main, settings, health, {
      within: ['ip', 'netns', 'exec', machine.namespace],
    });
    atEnd(() => its.kill('SIGTERM'));
    return its;
  };
  const sandbox = (name: string, machine: Machine) => {
    const instance = `test-${randomUUID().slice(0, 8)}`;
    atEnd(() => removeWorkspaces(instance));
    return service(name, 'sandbox', machine, PORT.sandbox, {
      PORT: String(PORT.sandbox),
      SANDBOX_STATE_DIR: join(dir, name),
      SANDBOX_INSTANCE: instance,
    });
  };
  const tokenFile = join(dir, 'token');
  const api = service('api', 'api', first, PORT.api, { PORT: String(PORT.api), TOKEN_FILE: tokenFile });
  const [firstSandbox, secondSandbox] = [sandbox('default', first), sandbox('second', second)];
  const [workerThere, worker] = [first, second].map((machine) =>
    service('worker', 'norris-worker', machine, PORT.worker, { HEALTH_PORT: String(PORT.worker) }),
  ) as [ServiceProcess, ServiceProcess];
  // Closing connections while the cable is cut would wait for responses.
  atEnd(() => machines.join());
  await Promise.all([firstSandbox, secondSandbox, api, worker].map((each) => each.start()));
  const client = new ApiClient(`http://${first.fromTest}:${PORT.api}`, (await readFile(tokenFile, 'utf8')).trim());
  return { client, worker, secondSandbox, workerThere, machines, tokenFile };
}

/**
 * Starts Postgres and Redis in a separate network that has only its loopback.
 * @returns the ID of a process in this network
 */
async function startStores(password: string, atEnd: (closer: Closer) => void): Promise<number> {
  const docker = new Docker();
  const start = async (image: string, network: string, command: readonly string[]): Promise<Docker.Container> => {
    const container = await docker.createContainer({
      Image: image,
      Cmd: ['timeout', LIFETIME_SECONDS, ...command],
      Env: [`POSTGRES_PASSWORD=${password}`],
      HostConfig: { NetworkMode: network, AutoRemove: true },
    });
    atEnd(() => container.remove({ force: true, v: true }));
    await container.start();
    return container;
  };
  const postgres = await start('postgres:17.11', 'none', ['docker-entrypoint.sh', 'postgres']);
  await start('redis:8.6.7', `container:${postgres.id}`, ['redis-server', '--requirepass', password]);
  return (await postgres.inspect()).State.Pid;
}
