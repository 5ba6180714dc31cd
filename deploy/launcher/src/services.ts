import { fileURLToPath } from 'node:url';
import { startChild, type Child } from './child.js';
import { becomesHealthy } from './health.js';
import { recordProcesses, type RecordedProcess } from './leftovers.js';
import { openLog, type LogFile } from './log-file.js';
import { ROOT } from './root.js';
import { checkServiceEnvs, serviceEnv, type Facts, type ServiceName } from './settings.js';

/** The processes of aish, by the folder of their service. */
export type ProcessName = 'api-with-worker' | 'sandbox';

export interface ServicesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly facts: Facts;
  readonly logsDir: string;
  readonly processesFile: string;
  readonly say: (line: string) => void;
  /** Returns the programs to put before a process, so that it runs as another user. */
  readonly prefixOf?: (name: ProcessName) => readonly string[];
  /** Shows the output of a service. If it is null, the output is only in the service's log. */
  readonly echo: ((name: ProcessName, text: string) => void) | null;
}

export interface Services {
  readonly apiUrl: string;
  start(name: ProcessName): void;
  /** Resolves with null if all services are healthy, or else with the first process that is not. */
  notHealthy(timeoutMs: number, signal: AbortSignal): Promise<ProcessName | null>;
  /** Aborts when a service has died too often. The reason names the service. */
  readonly givenUp: AbortSignal;
  /** Stops the processes in order: those that accept work, then those that they use. */
  stop(): Promise<void>;
  kill(): void;
  logOf(name: ProcessName): string;
}

/**
 * The maximum wait for each process after SIGTERM, in milliseconds and in stopping order. The total is 15 s, including
 * the database.
 */
const STOP_ORDER: readonly (readonly [ProcessName, number])[] = [
  ['api-with-worker', 10_000],
  ['sandbox', 1_500],
];

const BOUND_LOGS_MS = 10_000;
const ECHO_LOGS_MS = 250;

/**
 * Prepares the services, which `start` then starts.
 * @throws AishError `invalid_config` if a setting of any of them is wrong
 */
export function openServices(options: ServicesOptions): Services {
  const envOf = (name: ServiceName): Record<string, string> => serviceEnv(name, options.env, options.facts);
  const envs = { api: envOf('api'), 'norris-worker': envOf('norris-worker'), sandbox: envOf('sandbox') };
  checkServiceEnvs(envs);
  const envOfProcess = { 'api-with-worker': { ...envs['norris-worker'], ...envs.api }, sandbox: envs.sandbox };
  const children = new Map<ProcessName, Child>();
  const logs = new Map<ProcessName, LogFile>();
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
    const echoNew = (log: LogFile, name: ProcessName): void => {
      const text = log.read();
      if (text !== '') echo(name, text);
    };
    timers.push(setInterval(() => logs.forEach(echoNew), ECHO_LOGS_MS));
  }
  const logOf = (name: ProcessName): string => `${options.logsDir}/${name}.log`;

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
        prefix: options.prefixOf?.(name) ?? [],
        env: envOfProcess[name],
        logFd: log.fd,
        onStart: record,
        onRestart: (why, pauseMs) =>
          options.say(`${name} ${why}; starting it again in ${pauseMs / 1000} s (${log.path})`),
        onGivenUp: (why) => givenUp.abort(`${name} ${why} repeatedly; its log is ${log.path}`),
      });
      children.set(name, child);
    },
    async notHealthy(timeoutMs, signal) {
      const { facts } = options;
      const ports = [
        ['api-with-worker', facts.apiPort],
        ['api-with-worker', facts.workerHealthPort],
        ['sandbox', facts.sandboxPort],
      ] as const;
      const limit = AbortSignal.any([signal, givenUp.signal]);
      const answers = await Promise.all(
        ports.map(async ([name, port]) => ({
          name,
          isHealthy: await becomesHealthy(`http://127.0.0.1:${port}/v1/health`, timeoutMs, limit),
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
