-- A goal that was given in a chat knows it, and the chat is told of each of its ends.
ALTER TABLE "goals" ADD COLUMN "chat_id" UUID, ADD COLUMN "chat_told" TIMESTAMPTZ(3);
ALTER TABLE "goals" ADD CONSTRAINT "goals_chat_id_fkey" FOREIGN KEY ("chat_id") REFERENCES "sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "goals_chat_id_idx" ON "goals" ("chat_id");
CREATE INDEX "goals_chat_untold" ON "goals" ("ended_at") WHERE "chat_id" IS NOT NULL AND "chat_told" IS DISTINCT FROM "ended_at" AND "ended_at" IS NOT NULL;
