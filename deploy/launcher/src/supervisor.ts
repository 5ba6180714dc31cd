import { rm, writeFile } from 'node:fs/promises';
import { DEFAULT_MODEL_URL } from '@aish/contracts/config/presets.settings';
import { AishError } from '@aish/contracts/problems';
import { demoScript, startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { Container } from './container.js';
import {
  dataFolderPath,
  ensureInstance,
  ensureSecret,
  placePostgres,
  secretFile,
  type DataFolder,
} from './data-folder.js';
import { migrateSupplied, startDatabase, type RunningDatabase } from './database.js';
import { engineSocket, prepareEngine, type PreparedEngine } from './engine.js';
import { endLeftovers, forgetProcesses, startOf } from './leftovers.js';
import type { Lock } from '@aish/client/lock';
import { openLog } from './log-file.js';
import { portTaken, readyBlock } from './messages.js';
import { chooseModel, probeModel, readModelSettings, type ModelChoice } from './model.js';
import type { LaunchOptions } from './options.js';
import { freePorts, isFree } from './ports.js';
import { readySandbox } from './sandbox-image.js';
import { VERSION_FOLDER } from './root.js';
import { openServices, type Services } from './services.js';
import type { StopSignals } from './stop-signals.js';
import { runTui } from './tui.js';

/** The environment of the launcher's own process. */
export interface LauncherEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly isRoot: boolean;
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  readonly signals: StopSignals;
  readonly print: (text: string) => void;
}

const HEALTHY_WITHIN_MS = 90_000;
const COLLECT_AFTER_MS = 10_000;
/** The time for Postgres to stop after all its clients are gone. */
const DATABASE_GRACE_MS = 3_000;
const SANDBOX_TOKEN = 'sandbox-token';
const HOSTS_KEY = 'hosts-ca-key';

/** Everything that one launcher has started, with the order in which it is stopped. */
export class Supervisor {
  private readonly stopping = new AbortController();
  /** The database is stored as a promise, because a stop during the start must wait until it has started. */
  private database: Promise<RunningDatabase> | null = null;
  private demo: ScriptedModel | null = null;
  private services: Services | null = null;
  private container: Container | null = null;
  private isTerminalTaken = false;

  constructor(
    private readonly options: LaunchOptions,
    private readonly environment: LauncherEnvironment,
    private readonly folder: DataFolder,
    private readonly lock: Lock,
    private readonly startedAt: Date,
    private readonly log: (line: string) => void,
  ) {
    environment.signals.stop.addEventListener('abort', () => this.stopping.abort(), { once: true });
  }

  async run(): Promise<number> {
    const kill = (): void => {
      this.services?.kill();
      void this.database?.then(({ server }) => server.stop(0));
    };
    this.environment.signals.kill.addEventListener('abort', kill, { once: true });
    try {
      const why = await this.live();
      if (why === null) return 0;
      this.say(why);
      return 1;
    } catch (error) {
      if (this.environment.signals.stop.aborted) return 0;
      this.say(error instanceof AishError ? error.message : String(error instanceof Error ? error.stack : error));
      return 1;
    } finally {
      await this.stop();
      this.environment.signals.kill.removeEventListener('abort', kill);
    }
  }

  /**
   * Starts everything and waits for the end. Returns null after a requested stop, or else the reason why aish cannot
   * continue.
   */
  private async live(): Promise<string | null> {
    const { folder, environment, options } = this;
    const { signal } = this.stopping;
    const left = await endLeftovers(folder.processesFile);
    if (left.length > 0) this.say(`ended what a killed aish had left behind: ${left.join(', ')}`);
    await rm(folder.serverFile, { force: true });
    if (options.port !== 0 && !(await isFree(options.port))) return portTaken(options.port);

    const say = (line: string): void => this.say(line);
    if (options.container) await this.openContainer();
    const engine = await this.prepareEngine(say);
    const isOwnImage = Boolean(environment.env['SANDBOX_IMAGE']);
    const sandbox = readySandbox({ engine, isOwnImage, prefix: this.container?.engineUser ?? [], say, signal });
    try {
      const [model, databaseUrl] = await Promise.all([this.chooseModel(), this.startDatabase()]);
      const services = await this.startServices(databaseUrl);
      const missing = await services.notHealthy(HEALTHY_WITHIN_MS, signal);
      if (signal.aborted) return null;
      if (services.givenUp.aborted) return String(services.givenUp.reason);
      if (missing !== null) return `${missing} does not respond; its log is ${services.logOf(missing)}`;
      await this.announce(model, services, sandbox.missing);
      collectLater();
      return await this.untilTheEnd(services);
    } finally {
      this.stopping.abort();
      await sandbox.done;
    }
  }

  private async openContainer(): Promise<void> {
    const { folder, environment } = this;
    this.container = await Container.open(folder, environment.env['DOCKER_SOCKET'] || '/var/run/docker.sock');
    await Promise.all([SANDBOX_TOKEN, HOSTS_KEY].map((name) => ensureSecret(folder, name)));
    await this.container.giveFolders({
      ofBoth: secretFile(folder, SANDBOX_TOKEN),
      ofApi: secretFile(folder, HOSTS_KEY),
    });
  }

  private prepareEngine(log: (line: string) => void): Promise<PreparedEngine> {
    const { options, environment } = this;
    const { signal } = this.stopping;
    if (this.container !== null) return this.container.prepareEngine(log, signal);
    const policy = { yes: options.yes, noInstall: !options.install, interactive: environment.isTerminal };
    return prepareEngine({ ...policy, log, signal });
  }

  private async chooseModel(): Promise<ModelChoice> {
    const chosen = readModelSettings(this.environment.env);
    const defaultUrl = this.container?.modelUrl ?? DEFAULT_MODEL_URL;
    const choice = chooseModel({
      chosenUrl: chosen.url,
      defaultUrl,
      isDemoWanted: this.options.demo,
      ...(await probeModel(chosen.url ?? defaultUrl, chosen.apiKey, this.stopping.signal)),
    });
    if (choice.kind === 'demo') {
      this.demo = await startScriptedModel({ script: demoScript, model: 'demo' });
    }
    return choice;
  }

  private async startDatabase(): Promise<string> {
    const { folder, environment } = this;
    if (this.container !== null) {
      const supplied = await migrateSupplied(environment.env, (line) => this.say(line));
      if (supplied !== null) return supplied;
    }
    const password = await ensureSecret(folder, 'database-password');
    const dataDir = await placePostgres(folder, environment.isRoot);
    const log = openLog(`${folder.logsDir}/postgres.log`);
    this.say('database: starting (a few seconds longer the first time)');
    this.database = startDatabase({
      dataDir,
      password,
      log: (line) => log.write(`${line}\n`),
      signal: this.stopping.signal,
    });
    const { server, url } = await this.database;
    void server.ended.then(() => log.close());
    return url;
  }

  private async startServices(databaseUrl: string): Promise<Services> {
    const { folder, options, environment } = this;
    await Promise.all([SANDBOX_TOKEN, HOSTS_KEY].map((name) => ensureSecret(folder, name)));
    const [workerHealthPort = 0, sandboxPort = 0, freeApiPort = 0] = await freePorts(3);
    this.services = openServices({
      env: { FAST_BASE_URL: this.container?.modelUrl, ...environment.env },
      facts: {
        databaseUrl,
        apiHost: this.container === null ? '127.0.0.1' : '0.0.0.0',
        apiPort: options.port === 0 ? freeApiPort : options.port,
        workerHealthPort,
        sandboxPort,
        sandboxTokenFile: secretFile(folder, SANDBOX_TOKEN),
        hostsKeyFile: secretFile(folder, HOSTS_KEY),
        sandboxStateDir: folder.sandboxDir,
        sandboxInstance: await ensureInstance(folder),
        sandboxImage: environment.env['SANDBOX_IMAGE'] || 'aish-sandbox:latest',
        networkVolume: this.container?.networkVolume ?? null,
        dockerSocket:
          this.container?.dockerSocket ??
          (environment.env['DOCKER_SOCKET'] || (await engineSocket(this.stopping.signal))),
        tokenFile: folder.tokenFile,
        demoUrl: this.demo?.url ?? null,
      },
      ...(this.container === null ? {} : { prefixOf: this.container.prefixOf.bind(this.container) }),
      logsDir: folder.logsDir,
      processesFile: folder.processesFile,
      say: (line) => this.say(line),
      echo: options.verbose ? (name, text) => this.echo(name, text) : null,
    });
    this.say('services: starting');
    for (const name of ['sandbox', 'api-with-worker'] as const) this.services.start(name);
    return this.services;
  }

  private async announce(model: ModelChoice, services: Services, sandboxLine: string | null): Promise<void> {
    const { folder, environment } = this;
    const url = services.apiUrl;
    // The start time distinguishes this process from a later one with the same number.
    const started = await startOf(process.pid);
    const server = JSON.stringify({
      url,
      startedAt: this.startedAt.toISOString(),
      pid: process.pid,
      started,
      root: VERSION_FOLDER,
    });
    await writeFile(folder.serverFile, `${server}\n`, { mode: 0o600 });
    this.lock.announce(url);
    const usual = dataFolderPath(
      undefined,
      { ...environment.env, AISH_DATA: undefined },
      environment.home,
      environment.cwd,
    );
    this.say(
      readyBlock({
        url,
        tokenFile: folder.tokenFile,
        tokenCommand: this.container?.tokenCommand ?? null,
        logsDir: folder.logsDir,
        modelLine: model.line,
        sandboxLine,
        dataFolder: folder.root === usual ? null : folder.root,
        seconds: performance.now() / 1000, // counted from the start of this process, including the build
      }),
    );
  }

  private async untilTheEnd(services: Services): Promise<string | null> {
    const { signal } = this.stopping;
    const ends: Promise<string | null>[] = [
      aborted(signal).then(() => null),
      aborted(services.givenUp).then(() => String(services.givenUp.reason)),
    ];
    const database = await this.database;
    if (database !== null) {
      const end = `the database stopped unexpectedly; its log is ${this.folder.logsDir}/postgres.log`;
      ends.push(database.server.ended.then(() => (signal.aborted ? null : end)));
    }
    if (this.options.tui) {
      this.isTerminalTaken = true;
      ends.push(runTui(this.environment.env, this.folder.root, signal).finally(() => (this.isTerminalTaken = false)));
    }
    return Promise.race(ends);
  }

  /**
   * Stops everything: first the services that accept work, then those that they use, and the database when no client is
   * left.
   */
  private async stop(): Promise<void> {
    this.stopping.abort();
    this.isTerminalTaken = false;
    if (this.services !== null) this.say('stopping');
    await rm(this.folder.serverFile, { force: true });
    await this.services?.stop();
    await this.demo?.close();
    // A database that failed to start has stopped itself.
    const database = await this.database?.catch(() => null);
    await database?.server.stop(this.environment.signals.kill.aborted ? 0 : DATABASE_GRACE_MS);
    await forgetProcesses(this.folder.processesFile);
    if (this.services !== null) this.say('aish has stopped');
  }

  private say(line: string): void {
    this.log(line);
    if (!this.isTerminalTaken) this.environment.print(line);
  }

  private echo(name: string, text: string): void {
    if (this.isTerminalTaken) return;
    for (const line of text.trimEnd().split('\n')) this.environment.print(`[${name}] ${line}`);
  }
}

/** Frees the memory that only the start needed, such as the migration engine. The services do the same. */
function collectLater(): void {
  const { gc } = globalThis;
  if (gc !== undefined) setTimeout(() => gc(), COLLECT_AFTER_MS).unref();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
