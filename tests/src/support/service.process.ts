import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.js';
import type { Service } from './service.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address === null || typeof address === 'string') throw new Error('freePort: no address');
    // The system returns the same port again while nobody listens there.
    if (given.has(address.port)) continue;
    given.add(address.port);
    return address.port;
  }
}

/** The ports that this process has received. */
const given = new Set<number>();

/** A service that exited before it was healthy. `how` is its exit code or the signal that ended it. */
export class ServiceExited extends Error {
  constructor(
    name: string,
    readonly how: number | NodeJS.Signals | null,
  ) {
    super(`${name} exited with ${how}`);
  }
}

/**
 * Runs a real service as a separate process, as it is deployed: `node dist/bundle/main.js` with only the given
 * settings.
 */
export class ServiceProcess implements Service {
  private child: ChildProcess | null = null;
  private output = '';

  constructor(
    readonly name: string,
    private readonly main: string,
    private readonly env: Readonly<Record<string, string>>,
    readonly healthUrl: string,
    /**
     * With `answers`, any response of healthUrl is enough. `within` is a command that becomes the service, such as one
     * that first enters other namespaces.
     */
    private readonly more: {
      readonly args?: readonly string[];
      readonly answers?: boolean;
      readonly within?: readonly string[];
    } = {},
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isRunning(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  get log(): string {
    return this.output;
  }

  async start(): Promise<void> {
    const node = ['--max-semi-space-size=8', '--expose-gc', resolve(ROOT, this.main), ...(this.more.args ?? [])];
    const [command = '', ...args] = [...(this.more.within ?? []), process.execPath, ...node];
    const child = spawn(command, args, {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output = (this.output + text).slice(-20_000)));
    }
    try {
      const state = await eventually(`${this.name} is healthy`, async () => {
        if (child.exitCode !== null || child.signalCode !== null) return 'ended' as const;
        const response = await fetch(this.healthUrl);
        await response.body?.cancel();
        return response.status === 200 || this.more.answers === true ? ('healthy' as const) : null;
      });
      if (state === 'ended') throw new ServiceExited(this.name, child.exitCode ?? child.signalCode);
    } catch (error) {
      await this.kill('SIGKILL');
      throw new Error(`${this.name} did not start:\n${this.output}`, { cause: error });
    }
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null> {
    const child = this.child;
    this.child = null;
    if (child === null) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      const hang = setTimeout(() => child.kill('SIGKILL'), 30_000);
      await exit;
      clearTimeout(hang);
    }
    return child.exitCode ?? child.signalCode;
  }
}
