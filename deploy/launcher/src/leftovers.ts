import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

/** A process. Its start time from the system distinguishes it from a later process with the same number. */
const RecordedProcess = z.object({ name: z.string(), pid: z.int().positive(), startedAt: z.string().min(1) });
export type RecordedProcess = z.infer<typeof RecordedProcess>;

const RecordedProcesses = z.array(RecordedProcess).max(100);

const TERM_GRACE_MS = 12_000;

/**
 * Returns the time when the process started, as the system reports it (any text, which is equal for the same process).
 * Returns null if there is no such process.
 */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null) return null;
    // The name in parentheses may contain anything. The fields after it are numbers, except the first one, which is the
    // state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  }
  const printed = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: 5_000 }).catch(() => null);
  return printed === null ? null : printed.stdout.trim() || null;
}

/** Replaces the record with a rename, so that a crash leaves either the old or the new record. */
export async function recordProcesses(file: string, processes: readonly RecordedProcess[]): Promise<void> {
  const part = `${file}.part`;
  await writeFile(part, JSON.stringify(processes), { mode: 0o600 });
  await rename(part, file);
}

export async function forgetProcesses(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Ends the processes that a killed launcher left behind, with SIGTERM, and with SIGKILL after `graceMs`. A process that
 * only has the same number is left alone. The caller must hold the lock.
 * @returns the names of the processes that were running
 */
export async function endLeftovers(file: string, graceMs = TERM_GRACE_MS): Promise<readonly string[]> {
  const found = [];
  for (const each of await readRecord(file)) if (await isRunning(each)) found.push(each);
  for (const each of found) signal(each.pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  let alive = found;
  while (alive.length > 0 && Date.now() < deadline) {
    await sleep(50);
    const still = await Promise.all(alive.map(isRunning));
    alive = alive.filter((_, i) => still[i]);
  }
  for (const each of alive) signal(each.pid, 'SIGKILL');
  await forgetProcesses(file);
  return found.map((each) => each.name);
}

async function isRunning(recorded: RecordedProcess): Promise<boolean> {
  return (await startOf(recorded.pid)) === recorded.startedAt;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function readRecord(file: string): Promise<readonly RecordedProcess[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return RecordedProcesses.parse(JSON.parse(text));
  } catch {
    return []; // an unreadable record counts as empty
  }
}
