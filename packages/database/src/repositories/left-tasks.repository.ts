import { ServerTask } from '@aish/contracts/tools';
import type { Tx } from '../tx.js';

/** A task of a server whose call has ended without it. */
export interface LeftTask {
  readonly actionId: string;
  readonly task: ServerTask;
}

/** Tasks that nobody waits for any more, although they may go on at their servers. */
export async function listLeftTasks(tx: Tx, limit: number): Promise<readonly LeftTask[]> {
  const rows = await tx.$queryRaw<{ id: string; task: unknown }[]>`
    select id, result -> 'pending' -> 'task' as task from actions
    where result -> 'pending' -> 'task' is not null and state in ('lost', 'skipped')
    order by id limit ${limit}::int`;
  return rows.map(({ id, task }) => ({ actionId: id, task: ServerTask.parse(task) }));
}

/** Nothing is left to be done about it. */
export async function forgetTask(tx: Tx, actionId: string): Promise<void> {
  await tx.$executeRaw`update actions set result = null where id = ${actionId}::uuid and state in ('lost', 'skipped')`;
}
