import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { ApiClient } from './api.client.js';
import { removeWorkspaces } from './workspaces.js';
import type { LocalService } from './local.service.js';
import type { Service } from './service.js';
import { ROOT, ServiceProcess, freePort } from './service.process.js';
import type { Replacement } from './without-hooks.main.js';

export interface StackOptions {
  /** The address of the model. */
  readonly modelUrl: string;
  readonly model?: string;
  /** If this is set, queue and bus are on Redis. */
  readonly redisUrl?: string;
  readonly workers?: number;
  /** Runs one worker in the process of the api, as `npm start` does. This needs `ownProcesses`. */
  readonly isSmall?: boolean;
  /** The database, which is removed with the stack. By default it is one of the test server. */
  readonly database?: TestDatabase;
  /** The port of the api, if it must be known beforehand. By default it is a free one. */
  readonly apiPort?: number;
  /** Starts a second sandbox service named `second`. */
  readonly hasSecondSandbox?: boolean;
  /** Starts a second api over the same database. */
  readonly hasSecondApi?: boolean;
  /** More settings for all services. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Starts each service as a separate process, as it is deployed. This is for suites that kill a service or examine its
   * process or metrics. Other suites save the time of loading three processes.
   */
  readonly ownProcesses?: boolean;
  /**
   * Like `ownProcesses`, but the api and the workers soon continue the work of a killed process. This is for suites
   * that wait for that.
   */
  readonly quickRecovery?: boolean;
}

/** Runs aish with its own real database, for one suite. `stop` removes everything. */
export class Stack {
  private constructor(
    readonly api: Service,
    readonly workers: readonly Service[],
    readonly sandbox: Service,
    readonly client: ApiClient,
    readonly database: TestDatabase,
    readonly instance: string,
    readonly dir: string,
    readonly secondSandbox: Service | null,
    readonly secondApi: Service | null,
    /** The client of the second api, or of the only one. */
    readonly secondClient: ApiClient,
    private readonly settings: ReadonlyMap<Service, Start>,
  ) {}

  static async start(options: StackOptions): Promise<Stack> {
    const dir = await mkdtemp(join(tmpdir(), 'aish-stack-'));
    const database = options.database ?? (await createTestDatabase());
    const apiPort = options.apiPort ?? (await freePort());
    const [sandboxPort, secondPort] = [await freePort(), await freePort()];
    const instance = `test-${randomUUID().slice(0, 8)}`;
    const token = randomBytes(24).toString('hex');
    const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
    const store = {
      DATABASE_URL: database.url,
      ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
      SANDBOX_URL: sandboxUrl,
      SANDBOX_TOKEN: token,
      ...(options.hasSecondSandbox === true ? { SANDBOXES: `second=http://127.0.0.1:${secondPort}` } : {}),
      FAST_BASE_URL: options.modelUrl,
      ...(options.model === undefined ? {} : { FAST_MODEL: options.model }),
      // A scripted model has no second opinion, and the suite about it overrides this setting.
      SAFETY_SECOND_OPINION: 'off',
      WAIT_MIN_MS: '200',
      WAIT_MAX_MS: '1000',
      ...options.env,
    };
    const { ownProcesses = false, quickRecovery = false } = options;
    const start = ownProcesses || quickRecovery ? ownProcess(quickRecovery) : await localService();
    const starts = new Map<Service, Start>();
    const serviceAt = (...how: Start): Service => {
      const service = start(...how);
      starts.set(service, how);
      return service;
    };
    const sandboxAt = (port: number, name: string, itsInstance: string): Service =>
      serviceAt('sandbox', name, port, {
        PORT: String(port),
        SANDBOX_TOKEN: token,
        SANDBOX_STATE_DIR: join(dir, name),
        SANDBOX_INSTANCE: itsInstance,
        ...options.env,
      });
    const sandbox = sandboxAt(sandboxPort, 'sandbox', instance);
    const second = options.hasSecondSandbox === true ? sandboxAt(secondPort, 'second', `${instance}-2`) : null;
    const secondApiPort = options.hasSecondApi === true ? await freePort() : null;
    const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
    const { isSmall = false } = options;
    const healthPort = String(isSmall ? await freePort() : 0);
    const apiAt = (port: number, name: string): Service => {
      const settings = { ...store, PORT: String(port), TOKEN_FILE: join(dir, 'token') };
      if (!isSmall) return serviceAt('api', name, port, settings);
      return serviceAt('api-with-worker', name, port, { ...settings, HEALTH_PORT: healthPort });
    };
    const url = urlOf(apiPort);
    const api = apiAt(apiPort, 'api');
    const secondApi = secondApiPort === null ? null : apiAt(secondApiPort, 'second-api');
    const workers: Service[] = [];
    for (let n = 0; n < (isSmall ? 0 : (options.workers ?? 1)); n += 1) {
      const port = await freePort();
      workers.push(serviceAt('norris-worker', `worker-${n}`, port, { ...store, HEALTH_PORT: String(port) }));
    }
    const services = [sandbox, second, api, secondApi, ...workers].filter((service) => service !== null);
    try {
      await startAll(services);
    } catch (error) {
      await Promise.all(services.map((service) => service.kill('SIGTERM')));
      await database.drop();
      throw error;
    }
    const client = new ApiClient(url, (await readFile(join(dir, 'token'), 'utf8')).trim());
    const secondClient = secondApiPort === null ? client : new ApiClient(urlOf(secondApiPort), client.token);
    return new Stack(api, workers, sandbox, client, database, instance, dir, second, secondApi, secondClient, starts);
  }

  /**
   * Runs `work` while services run with these lines replaced, to switch a defence off. Each service that has one of the
   * lines is stopped, and runs as a separate process until `work` has ended.
   */
  async without<T>(lines: readonly Replacement[], work: () => Promise<T>): Promise<T> {
    const services = this.services.filter((service) => lines.some(([folder]) => folder === this.startOf(service)[0]));
    const changed = services.map((service) => replacing(lines, this.startOf(service)));
    for (const service of services) await service.kill('SIGTERM');
    try {
      await startAll(changed);
      return await work();
    } finally {
      for (const service of changed) await service.kill('SIGTERM');
      await startAll(services);
    }
  }

  private startOf(service: Service): Start {
    const start = this.settings.get(service);
    if (start === undefined) throw new Error(`${service.name} is not a service of this stack`);
    return start;
  }

  get services(): readonly Service[] {
    const seconds = [this.secondApi, this.secondSandbox].filter((service) => service !== null);
    return [...this.workers, this.api, this.sandbox, ...seconds];
  }

  /** Stops everything. If a service did not end by itself, the error contains the service's log. */
  async stop(): Promise<void> {
    const ends = await Promise.all(
      this.services.map(async (service) => [service, await service.kill('SIGTERM')] as const),
    );
    await this.database.drop();
    await removeWorkspaces(this.instance);
    if (this.secondSandbox !== null) await removeWorkspaces(`${this.instance}-2`);
    await rm(this.dir, { recursive: true, force: true });
    for (const [service, end] of ends) {
      if (end !== 0 && end !== null) throw new Error(`${service.name} exited with ${end}:\n${service.log}`);
    }
  }
}

type ServiceFolder = 'api' | 'norris-worker' | 'sandbox' | 'api-with-worker';
type Settings = Readonly<Record<string, string>>;
/** The arguments for starting a service. */
type Start = readonly [folder: ServiceFolder, name: string, port: number, settings: Settings];

const QUICK_MAIN = 'tests/dist/support/quick.main.js';

const healthOf = (port: number): string => `http://127.0.0.1:${port}/v1/health`;

function ownProcess(isQuick: boolean) {
  return (folder: ServiceFolder, name: string, port: number, settings: Settings): ServiceProcess =>
    isQuick && folder !== 'sandbox'
      ? new ServiceProcess(name, QUICK_MAIN, settings, healthOf(port), { args: [folder] })
      : new ServiceProcess(name, `services/${folder}/dist/bundle/main.js`, settings, healthOf(port));
}

/** Runs a service with replaced lines separately and from its modules, because a bundle has no separate lines. */
function replacing(lines: readonly Replacement[], [folder, name, port, settings]: Start): ServiceProcess {
  const own = lines.filter((each) => each[0] === folder);
  for (const [, file, from] of own) {
    const count = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
    if (count !== 1) throw new Error(`${file} has this ${count} times, not once: ${from}`);
  }
  const env = { NODE_OPTIONS: `--import=${ROOT}tests/dist/support/without.main.js`, WITHOUT: JSON.stringify(own) };
  return new ServiceProcess(name, `services/${folder}/dist/main.js`, { ...settings, ...env }, healthOf(port));
}

/** Loads the services, which happens only in suites that run them in the test process. */
async function localService() {
  const [{ LocalService }, { startLocal }] = await Promise.all([
    import('./local.service.js'),
    import('./start-local.js'),
  ]);
  return (folder: ServiceFolder, name: string, port: number, settings: Settings): LocalService => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings };
    if (folder === 'api-with-worker') throw new Error('the small form has its own processes');
    return new LocalService(name, healthOf(port), (log) => startLocal[folder](env, log));
  };
}

/** Starts all services in parallel. @throws the first error, after all have started or failed */
async function startAll(services: readonly Service[]): Promise<void> {
  const results = await Promise.allSettled(services.map((service) => service.start()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
