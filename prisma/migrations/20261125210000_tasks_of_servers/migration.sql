-- A goal waits for a call that has become a task of its MCP server.
ALTER TABLE "goals" DROP CONSTRAINT "goals_waiting_for_check";
ALTER TABLE "goals" ADD CONSTRAINT "goals_waiting_for_check" CHECK ("waiting_for" IN ('model', 'sandbox', 'turn', 'retry', 'tool'));
-- Tasks that nobody waits for any more: their servers are told.
CREATE INDEX "actions_left_tasks" ON "actions" ("id") WHERE result -> 'pending' -> 'task' IS NOT NULL AND state IN ('lost', 'skipped');
