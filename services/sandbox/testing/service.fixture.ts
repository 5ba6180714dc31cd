import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Caller, type TestSettings } from './sandbox.fixture.js';

const project = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The built service as a separate process that can be killed. */
export interface Service {
  readonly process: ChildProcess;
  readonly sandbox: Caller;
}

/** Starts the built service. `log` receives each line that the service logs. */
export async function startService(
  { env, config }: TestSettings,
  log: (entry: Record<string, unknown>) => void = () => undefined,
): Promise<Service> {
  const child = spawn(process.execPath, [join(project, 'dist/bundle/main.js')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const entry = JSON.parse(line) as Record<string, unknown>;
      log(entry);
      if (entry['msg'] === 'listening') resolve(String(entry['url']));
    });
    lines.once('close', () => reject(new Error('the service ended before it listened')));
  });
  return { process: child, sandbox: new Caller(url, config.SANDBOX_TOKEN) };
}

export async function stopService({ process: child }: Service, signal: NodeJS.Signals): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  const exited = once(child, 'exit');
  child.kill(signal);
  return exited;
}
