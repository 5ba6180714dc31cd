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
  /** Shows what a service printed; null: only its log has it. */
  readonly echo: ((service: ServiceName, text: string) => void) | null;
}

export interface Services {
  readonly apiUrl: string;
  start(name: ServiceName): void;
  /** Null when all that were started answer; else the one that does not. */
  notHealthy(timeoutMs: number, signal: AbortSignal): Promise<ServiceName | null>;
  /** Aborts when a service died too often; the reason says which. */
  readonly givenUp: AbortSignal;
  /** In order: what takes work, the door, then what they use. */
  stop(): Promise<void>;
  kill(): void;
  logOf(name: ServiceName): string;
}

/** Longest wait for each after SIGTERM, milliseconds, in the order in which they are stopped: with the database 15 s in all. */
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
 * Prepares the services; `start` starts them.
 * @throws AishError `invalid_config` when a setting of any of them is wrong.
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
        // People wait for answers of the api, while a goal can wait.
        ...(name === 'norris-worker' ? { niceness: WORKER_NICENESS } : {}),
        onStart: record,
        onRestart: (why, pauseMs) =>
          options.say(`${name} ${why}; starting it again in ${pauseMs / 1000} s (${log.path})`),
        onGivenUp: (why) => givenUp.abort(`${name} ${why} again and again; its log is ${log.path}`),
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
