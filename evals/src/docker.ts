import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { AishError } from '@aish/contracts/problems';

const TIMEOUT_MS = 120_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface DockerOptions {
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Runs the local docker command, only for worlds. @throws AishError `engine_unavailable` if there is no engine */
export async function tryDocker(
  args: readonly string[],
  { input, signal, timeoutMs = TIMEOUT_MS }: DockerOptions = {},
): Promise<Ran> {
  const limit = AbortSignal.timeout(timeoutMs);
  const child = spawn('docker', args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  child.stdin.on('error', () => undefined); // it ended without reading everything, and its exit code tells the result
  child.stdin.end(input ?? '');
  try {
    const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
    return { code, stdout, stderr: stderr.toString('utf8') };
  } catch (cause) {
    signal?.throwIfAborted();
    const why = limit.aborted ? `took longer than ${timeoutMs / 1000} s` : 'cannot be run';
    throw new AishError('engine_unavailable', `docker ${args[0] ?? ''} ${why}: ${String(cause)}`, {}, { cause });
  }
}

/** Like `tryDocker`, for commands that must succeed. @throws AishError `engine_unavailable` with their output */
export async function docker(args: readonly string[], options: DockerOptions = {}): Promise<Buffer> {
  const { code, stdout, stderr } = await tryDocker(args, options);
  if (code === 0) return stdout;
  throw new AishError('engine_unavailable', `docker ${args[0] ?? ''} exited with code ${code}: ${stderr.trim()}`);
}
