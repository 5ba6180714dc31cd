-- Steps and actions become rows of a session, so that chats have them too; what is there moves with its goal.

-- DropForeignKey
ALTER TABLE "actions" DROP CONSTRAINT "actions_goal_id_fkey";

-- DropForeignKey
ALTER TABLE "actions" DROP CONSTRAINT "actions_goal_id_step_number_fkey";

-- DropForeignKey
ALTER TABLE "steps" DROP CONSTRAINT "steps_goal_id_fkey";

-- DropIndex
DROP INDEX "actions_goal_id_step_number_n_key";

-- AlterTable
ALTER TABLE "actions" ADD COLUMN "session_id" UUID;
UPDATE "actions" SET "session_id" = g."session_id" FROM "goals" g WHERE g."id" = "actions"."goal_id";
ALTER TABLE "actions" ALTER COLUMN "session_id" SET NOT NULL,
DROP COLUMN "goal_id",
ADD COLUMN     "arguments" TEXT,
ADD COLUMN     "call_id" TEXT,
ADD COLUMN     "label" TEXT,
ADD COLUMN     "result" JSONB,
ADD COLUMN     "tool" TEXT,
ALTER COLUMN "command" DROP NOT NULL;

-- AlterTable
ALTER TABLE "decisions" ADD COLUMN "kind" TEXT;
UPDATE "decisions" SET "kind" = 'halt';
ALTER TABLE "decisions" ALTER COLUMN "kind" SET NOT NULL,
ADD COLUMN     "answer" JSONB,
ADD COLUMN     "request" JSONB,
ALTER COLUMN "goal_id" DROP NOT NULL,
ALTER COLUMN "action_id" DROP NOT NULL,
ALTER COLUMN "step_number" DROP NOT NULL,
ALTER COLUMN "step_budget" DROP NOT NULL;

-- AlterTable
ALTER TABLE "steps" ADD COLUMN "session_id" UUID;
UPDATE "steps" SET "session_id" = g."session_id" FROM "goals" g WHERE g."id" = "steps"."goal_id";
ALTER TABLE "steps" DROP CONSTRAINT "steps_pkey",
ALTER COLUMN "session_id" SET NOT NULL,
DROP COLUMN "goal_id",
ADD CONSTRAINT "steps_pkey" PRIMARY KEY ("session_id", "n");

-- CreateIndex
CREATE UNIQUE INDEX "actions_session_id_step_number_n_key" ON "actions"("session_id", "step_number", "n");

-- CreateIndex
CREATE INDEX "decisions_session_id_idx" ON "decisions"("session_id");

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "actions" ADD CONSTRAINT "actions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "actions" ADD CONSTRAINT "actions_session_id_step_number_fkey" FOREIGN KEY ("session_id", "step_number") REFERENCES "steps"("session_id", "n") ON DELETE CASCADE ON UPDATE CASCADE;

-- An action holds what its kind needs.
ALTER TABLE "actions" DROP CONSTRAINT "actions_kind_check";
ALTER TABLE "actions" ADD CONSTRAINT "actions_kind_check" CHECK (
  ("kind" = 'command' AND "command" IS NOT NULL)
  OR ("kind" = 'tool' AND "call_id" IS NOT NULL AND "tool" IS NOT NULL AND "label" IS NOT NULL AND "arguments" IS NOT NULL));
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_kind_check" CHECK ("kind" IN ('halt', 'tool', 'command', 'elicitation'));
-- A HALT belongs to a goal and blocks one of its actions.
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_halt_check" CHECK ("kind" <> 'halt' OR ("goal_id" IS NOT NULL AND "action_id" IS NOT NULL));
