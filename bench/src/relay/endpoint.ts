import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program that serves HTTP. */
export interface Endpoint {
  readonly child: ChildProcess;
  readonly url: string;
}

/**
 * Runs `endpoint.main` in a separate process, so that the reader's measurement does not include the work of the
 * endpoint.
 */
export function startEndpoint(tokens: number, tokensPerSecond: number): Promise<Endpoint> {
  return startProgram('endpoint.main.js', [String(tokens), String(tokensPerSecond)]);
}

/** Starts a program in this folder that prints its port when it listens. @throws if the program ends before */
export async function startProgram(main: string, args: readonly string[]): Promise<Endpoint> {
  const path = fileURLToPath(new URL(main, import.meta.url));
  // The program gets the memory settings of aish's services.
  const child = spawn(process.execPath, ['--max-semi-space-size=8', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${main} ended before it listened`)));
  const [port] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), gone])) as [string];
  gone.catch(() => undefined); // its end is ignored, because the caller stops it later
  return { child, url: `http://127.0.0.1:${port.trim()}` };
}
