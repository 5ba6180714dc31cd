import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from './api.client.js';
import { eventually } from './eventually.js';
import { ROOT } from './service.process.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** The address of the model. By default it is the demo model. */
  readonly modelUrl?: string;
  readonly args?: readonly string[];
}

const START_TIMEOUT_MS = 180_000;

/** Runs `npm start` as a person does, but on a free port and with its own folder. */
export class EmbeddedAish {
  private constructor(
    private readonly child: ChildProcess,
    private readonly said: () => string,
    readonly client: ApiClient,
    readonly dataDir: string,
  ) {}

  static async start({ dataDir, modelUrl, args = [] }: EmbeddedOptions): Promise<EmbeddedAish> {
    const server = join(dataDir, 'server.json');
    await rm(server, { force: true }); // a killed launcher leaves it
    const { child, said } = launch(dataDir, modelUrl, args);
    try {
      const url = await eventually(
        'aish is ready',
        async () => {
          if (child.exitCode !== null) return 'ended' as const;
          return (JSON.parse(await readFile(server, 'utf8')) as { url: string }).url;
        },
        { timeoutMs: START_TIMEOUT_MS },
      );
      if (url === 'ended') throw new Error(`the launcher exited with ${child.exitCode}`);
      const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim();
      return new EmbeddedAish(child, said, new ApiClient(url, token), dataDir);
    } catch (error) {
      child.kill('SIGKILL');
      throw new Error(`aish did not start:\n${said()}`, { cause: error });
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The complete output of the launcher. */
  get output(): string {
    return this.said();
  }

  /** Sends Ctrl-C, or another signal. @returns the exit code or the signal */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGINT'): Promise<number | string | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill(signal);
      await exit;
    }
    return this.child.exitCode ?? this.child.signalCode;
  }
}

export function startEmbeddedAish(options: EmbeddedOptions): Promise<EmbeddedAish> {
  return EmbeddedAish.start(options);
}

/** Starts the launcher, and kills it when `until` resolves. `said` returns its output. */
export async function startAndKill(
  { dataDir, modelUrl, args = [] }: EmbeddedOptions,
  until: (said: () => string) => Promise<unknown>,
): Promise<void> {
  const { child, said } = launch(dataDir, modelUrl, args);
  const exit = once(child, 'exit');
  try {
    await until(said);
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** Starts the launcher and waits for its end. This is for a start that should fail. */
export async function launchAndWait(
  dataDir: string,
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const { child, said } = launch(dataDir, undefined, args);
  const hang = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  await once(child, 'exit');
  clearTimeout(hang);
  return { code: child.exitCode, output: said() };
}

function launch(
  dataDir: string,
  modelUrl: string | undefined,
  args: readonly string[],
): { child: ChildProcess; said: () => string } {
  const child = spawn(
    process.execPath,
    [`${ROOT}deploy/launcher/dist/main.js`, '--data', dataDir, '--port', '0', ...args],
    {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        ...(modelUrl === undefined ? {} : { FAST_BASE_URL: modelUrl, SAFETY_SECOND_OPINION: 'off' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-50_000)));
  }
  return { child, said: () => output };
}

/** Removes the data folder of an aish that has stopped. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}
