import { readFileSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** This is four times the default scheduler weight, as compose sets it with `cpu_shares: 4096`. */
const FIRST = -6;
/** This is half the default weight, as with `cpu_shares: 512`. */
const LAST = 3;

/**
 * Gives processes, their threads and their current and future children the weights that docker-compose.yml gives their
 * containers. @returns false if this process lacks the permission
 */
export function weigh(first: readonly number[], last: readonly number[]): boolean {
  try {
    for (const pid of first) for (const thread of threadsOf(pid)) setPriority(thread, FIRST);
    for (const pid of last) for (const thread of threadsOf(pid)) setPriority(thread, LAST);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false;
    throw error;
  }
}

/** Returns the threads of a process and of its children. */
function threadsOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [...threads.map(Number), ...children.flatMap(threadsOf)];
}
