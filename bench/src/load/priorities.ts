import { readFileSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Four times the weight of others in the scheduler, as compose gives with `cpu_shares: 4096`. */
const FIRST = -6;
/** Half of it, as `cpu_shares: 512`. */
const LAST = 3;

/**
 * Gives processes the weights that docker-compose.yml gives their containers, with their threads and with what they have
 * started and will start. @returns false where that needs a right this process does not have.
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

/** Of a process and of the processes that it has started. */
function threadsOf(pid: number): readonly number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [...threads.map(Number), ...children.flatMap(threadsOf)];
}
