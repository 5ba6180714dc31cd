import { fileURLToPath } from 'node:url';
import { startChild, type Child } from './child.js';
import { becomesHealthy } from './health.js';
import { recordProcesses, type RecordedProcess } from './leftovers.js';
import { openLog, type LogFile } from './log-file.js';
import { checkServiceEnvs, serviceEnv, type Facts, type ServiceName } from './settings.js';

export interface ServicesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly facts: Facts;
  readonly logsDir: string;
  readonly processesFile: string;
  readonly say: (line: string) => void;
  /** Shows the output of a service. If it is null, the output is only in the service's log. */
  readonly echo: ((service: ServiceName, text: string) => void) | null;
}

export interface Services {
  readonly apiUrl: string;
  start(name: ServiceName): void;
  /** Resolves with null if all started services are healthy, or else with the first that is not. */
  notHealthy(timeoutMs: number, signal: AbortSignal): Promise<ServiceName | null>;
  /** Aborts when a service has died too often. The reason names the service. */
  readonly givenUp: AbortSignal;
  /** Stops the services in order: those that accept work, then the api, then those that they use. */
  stop(): Promise<void>;
  kill(): void;
  logOf(name: ServiceName): string;
}

/**
 * The maximum wait for each service after SIGTERM, in milliseconds and in stopping order. The total is 15 s, including
 * the database.
 */
const STOP_ORDER: readonly (readonly [ServiceName, number])[] = [
  ['norris-worker', 8_500],
  ['api', 1_500],
  ['sandbox', 1_500],
];

const WORKER_NICENESS = 10;

const BOUND_LOGS_MS = 10_000;
const ECHO_LOGS_MS = 250;

const ROOT = new URL('../../../', import.meta.url);

/**
 * Prepares the services, which `start` then starts.
 * @throws AishError `invalid_config` if a setting of any of them is wrong
 */
export function openServices(options: ServicesOptions): Services {
  const envOf = (name: ServiceName): Record<string, string> => serviceEnv(name, options.env, options.facts);
  const envs = { api: envOf('api'), 'norris-worker': envOf('norris-worker'), sandbox: envOf('sandbox') };
  checkServiceEnvs(envs);
  const children = new Map<ServiceName, Child>();
  const logs = new Map<ServiceName, LogFile>();
  const givenUp = new AbortController();
  let recording = Promise.resolve();

  const recordRunning = async (): Promise<void> => {
    const before = recording;
    const all = await Promise.all([...children.values()].map((child) => child.running()));
    await before;
    const running = all.filter((each): each is RecordedProcess => each !== null);
    await recordProcesses(options.processesFile, running).catch((error: Error) =>
      options.say(`cannot write ${options.processesFile}: ${error.message}`),
    );
  };
  const record = (): void => {
    recording = recordRunning();
  };
  const timers = [setInterval(() => logs.forEach((log) => log.bound()), BOUND_LOGS_MS)];
  const { echo } = options;
  if (echo !== null) {
    const echoNew = (log: LogFile, name: ServiceName): void => {
      const text = log.read();
      if (text !== '') echo(name, text);
    };
    timers.push(setInterval(() => logs.forEach(echoNew), ECHO_LOGS_MS));
  }
  const logOf = (name: ServiceName): string => `${options.logsDir}/${name}.log`;

  return {
    apiUrl: `http://127.0.0.1:${options.facts.apiPort}`,
    givenUp: givenUp.signal,
    logOf,
    start(name) {
      const log = openLog(logOf(name));
      logs.set(name, log);
      const child = startChild({
        name,
        main: fileURLToPath(new URL(`services/${name}/dist/bundle/main.js`, ROOT)),
        env: envs[name],
        logFd: log.fd,
        // People wait for the api, but a goal can wait.
        ...(name === 'norris-worker' ? { niceness: WORKER_NICENESS } : {}),
        onStart: record,
        onRestart: (why, pauseMs) =>
          options.say(`${name} ${why}; starting it again in ${pauseMs / 1000} s (${log.path})`),
        onGivenUp: (why) => givenUp.abort(`${name} ${why} repeatedly; its log is ${log.path}`),
      });
      children.set(name, child);
    },
    async notHealthy(timeoutMs, signal) {
      const { facts } = options;
      const ports = { api: facts.apiPort, 'norris-worker': facts.workerHealthPort, sandbox: facts.sandboxPort };
      const limit = AbortSignal.any([signal, givenUp.signal]);
      const answers = await Promise.all(
        [...children.keys()].map(async (name) => ({
          name,
          isHealthy: await becomesHealthy(`http://127.0.0.1:${ports[name]}/v1/health`, timeoutMs, limit),
        })),
      );
      return answers.find((each) => !each.isHealthy)?.name ?? null;
    },
    async stop() {
      for (const [name, graceMs] of STOP_ORDER) await children.get(name)?.stop(graceMs);
      await recording;
      timers.forEach(clearInterval);
      for (const log of logs.values()) log.close();
    },
    kill() {
      for (const child of children.values()) child.kill();
    },
  };
}
