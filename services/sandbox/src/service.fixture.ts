import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Caller, type Ground } from './sandbox.fixture.js';

const project = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The built service as a process of its own, which can be killed. */
export interface Service {
  readonly process: ChildProcess;
  readonly sandbox: Caller;
}

export async function buildService(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: project });
}

export async function startService({ env, config }: Ground): Promise<Service> {
  const child = spawn(process.execPath, [join(project, 'dist/main.js')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const entry = JSON.parse(line) as { msg?: string; url?: string };
    if (entry.msg !== 'listening' || entry.url === undefined) continue;
    child.stdout.resume();
    return { process: child, sandbox: new Caller(entry.url, config.SANDBOX_TOKEN) };
  }
  throw new Error('the service ended before it listened');
}

export async function stopService({ process: child }: Service, signal: NodeJS.Signals): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  const exited = once(child, 'exit');
  child.kill(signal);
  return exited;
}
