-- What a person left to the commands of a chat without a question, and what is not asked about again in it.
ALTER TABLE "chats" ADD COLUMN "trust" TEXT NOT NULL DEFAULT 'ask';
ALTER TABLE "grants" ALTER COLUMN "goal_id" DROP NOT NULL;
ALTER TABLE "grants" ADD COLUMN "chat_id" UUID;
ALTER TABLE "grants" ADD CONSTRAINT "grants_chat_id_fkey" FOREIGN KEY ("chat_id") REFERENCES "chats"("session_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "grants" ADD CONSTRAINT "grants_of_one" CHECK (("goal_id" IS NULL) <> ("chat_id" IS NULL));
CREATE INDEX "grants_chat_id_idx" ON "grants"("chat_id");
