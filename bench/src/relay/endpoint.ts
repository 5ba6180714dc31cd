import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Endpoint {
  readonly child: ChildProcess;
  readonly url: string;
}

/** `endpoint.main` as a process of its own, so that its work is not in that of whoever reads. */
export async function startEndpoint(tokens: number, tokensPerSecond: number): Promise<Endpoint> {
  const main = fileURLToPath(new URL('endpoint.main.js', import.meta.url));
  const child = spawn(process.execPath, [main, String(tokens), String(tokensPerSecond)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, url: `http://127.0.0.1:${port.trim()}` };
}
