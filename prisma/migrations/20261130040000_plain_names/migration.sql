-- The glossary calls the folder and variables of a command its execution context.
ALTER TABLE "decisions" RENAME COLUMN "surroundings" TO "execution_context";
-- Stored events get the new name as well, so that readers need to know only one.
UPDATE "events" SET "payload" = ("payload" - 'surroundings') || jsonb_build_object('executionContext', "payload" -> 'surroundings')
WHERE "type" = 'decision.requested' AND "payload" ? 'surroundings';
-- Other columns and keys with names of their own.
ALTER TABLE "goals" RENAME COLUMN "chat_told" TO "chat_notified";
ALTER INDEX "goals_chat_untold" RENAME TO "goals_chat_not_notified";
ALTER TABLE "lab_schedule" RENAME COLUMN "told_at" TO "sent_at";
UPDATE "mcp_servers" SET "settings" = ("settings" - 'reach') || jsonb_build_object('allowedAddresses', "settings" -> 'reach')
WHERE "settings" ? 'reach';
