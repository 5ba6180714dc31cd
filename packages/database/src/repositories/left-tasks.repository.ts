import { ServerTask } from '@aish/contracts/tools';
import type { Tx } from '../tx.js';

/** A task of a server whose call has ended before the task. */
export interface LeftTask {
  readonly actionId: string;
  readonly task: ServerTask;
}

/** Lists tasks that nobody waits for any more, although they may still run on their servers. */
export async function listLeftTasks(tx: Tx, limit: number): Promise<readonly LeftTask[]> {
  const rows = await tx.$queryRaw<{ id: string; task: unknown }[]>`
    select id, result -> 'pending' -> 'task' as task from actions
    where result -> 'pending' -> 'task' is not null and state in ('lost', 'skipped')
    order by id limit ${limit}::int`;
  return rows.map(({ id, task }) => ({ actionId: id, task: ServerTask.parse(task) }));
}

/** Marks the task as finished, so that aish no longer polls it. */
export async function forgetTask(tx: Tx, actionId: string): Promise<void> {
  await tx.$executeRaw`update actions set result = null where id = ${actionId}::uuid and state in ('lost', 'skipped')`;
}
