import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program that answers over HTTP. */
export interface Endpoint {
  readonly child: ChildProcess;
  readonly url: string;
}

/** `endpoint.main` as a process of its own, so that its work is not in that of whoever reads. */
export function startEndpoint(tokens: number, tokensPerSecond: number): Promise<Endpoint> {
  return start('endpoint.main.js', [String(tokens), String(tokensPerSecond)]);
}

/** `bare.main`, over a database that it makes its own table in. */
export function startBare(endpoint: string, databaseUrl: string): Promise<Endpoint> {
  return start('bare.main.js', [endpoint, databaseUrl]);
}

/** Starts a program that says its port when it listens. @throws when it ends before. */
async function start(main: string, args: readonly string[]): Promise<Endpoint> {
  const path = fileURLToPath(new URL(main, import.meta.url));
  // With the memory settings that a service of aish has.
  const child = spawn(process.execPath, ['--max-semi-space-size=8', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${main} ended before it listened`)));
  const [port] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), gone])) as [string];
  gone.catch(() => undefined); // its end later is what was asked for
  return { child, url: `http://127.0.0.1:${port.trim()}` };
}
