import type { Database } from '@aish/database/client';
import { forgetTask, listLeftTasks } from '@aish/database/left-tasks.repository';
import type { McpRegistry } from '@aish/mcp';

const AT_ONCE = 200;
const TELL_MS = 5_000;

/**
 * Cancels tasks of MCP servers whose goal or chat ended before them. If a server is unavailable, the cancel is retried
 * until the task's deadline.
 */
export async function cancelAbandonedTasks(db: Database, registry: Pick<McpRegistry, 'cancelTask'>): Promise<void> {
  const left = await listLeftTasks(db.statements, AT_ONCE);
  const signal = AbortSignal.timeout(TELL_MS);
  await Promise.all(
    left.map(async ({ actionId, task }) => {
      const isOver = Date.parse(task.until) < Date.now();
      if (isOver || (await registry.cancelTask(task, signal))) await forgetTask(db.statements, actionId);
    }),
  );
}
