import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Release } from '@aish/contracts/upgrade';
import type { DataFolder } from './data-folder.js';
import { launcherOf } from './release.js';
import type { StopSignals } from './stop-signals.js';

/** The maximum time for the migrations of a large database and the first start. */
const WORKS_WITHIN_MS = 30 * 60_000;
const LOOK_EVERY_MS = 100;
const HEALTH_TIMEOUT_MS = 5_000;
const STOP_GRACE_MS = 20_000;
const REASON_LINES = 3;

/** A new version that runs as a child process, and ends with this process. */
export interface Trial {
  /** Null if the new version works, or else the reason. */
  readonly why: string | null;
  /** Resolves with the exit code of the new version. */
  readonly ended: Promise<number>;
}

/**
 * Starts the launcher of another release on the same data folder, and waits until it is ready.
 * @param args the arguments of this launcher
 * @throws if a person stops it
 */
export async function tryRelease(
  release: Release,
  folder: DataFolder,
  args: readonly string[],
  signals: StopSignals,
): Promise<Trial> {
  const logFile = `${folder.logsDir}/launcher.log`;
  const before = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
  const child = spawn(process.execPath, [launcherOf(release), ...args, '--trial'], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    () => 1,
  );
  // The terminal may have sent Ctrl-C to both. The child takes two signals in a short time as one.
  const forward = (): void => void child.kill('SIGTERM');
  for (const signal of [signals.stop, signals.kill]) signal.addEventListener('abort', forward, { once: true });
  const why = await whyNot(child, release, folder, signals.stop);
  if (why !== null) {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(timer);
  }
  signals.stop.throwIfAborted();
  return { why: why === null ? null : [why, ...(await saidSince(logFile, before))].join('; '), ended };
}

async function whyNot(
  child: ChildProcess,
  release: Release,
  { serverFile }: DataFolder,
  stop: AbortSignal,
): Promise<string | null> {
  for (const deadline = Date.now() + WORKS_WITHIN_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    if (stop.aborted) return 'it was stopped';
    if (child.exitCode !== null || child.signalCode !== null) {
      return `it exited with ${child.exitCode ?? child.signalCode}`;
    }
    const url = await urlOf(serverFile, child.pid);
    if (url === null) continue;
    const version = await versionAt(url);
    return version === release.version ? null : `it answers as version ${version}`;
  }
  return 'it was not ready in time';
}

/** Returns the address of the api once all services of this launcher are healthy. */
async function urlOf(serverFile: string, pid: number | undefined): Promise<string | null> {
  try {
    const server = JSON.parse(await readFile(serverFile, 'utf8')) as { url: string; pid: number };
    return server.pid === pid ? server.url : null;
  } catch {
    return null; // not written yet
  }
}

async function versionAt(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return ((await response.json()) as { version: string }).version;
  } catch (error) {
    return `unknown (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Returns the last lines that the launcher logged, without the usual ones of a stop. */
async function saidSince(logFile: string, from: number): Promise<readonly string[]> {
  const text = await readFile(logFile).catch(() => Buffer.alloc(0));
  return text
    .subarray(text.length < from ? 0 : from)
    .toString('utf8')
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\S+Z /, '').trim())
    .filter((line) => line !== '' && !/^(stopping|aish has stopped)$/.test(line))
    .slice(-REASON_LINES);
}
