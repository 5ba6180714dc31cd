-- DropIndex
DROP INDEX "decisions_action_id_key";

-- AlterTable
ALTER TABLE "actions" ADD COLUMN     "digest" TEXT,
ADD COLUMN     "is_check" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "read_only" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "decisions" ADD COLUMN     "edited" TEXT,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "expiry_verdict" TEXT,
ADD COLUMN     "granted" TEXT;

-- AlterTable
ALTER TABLE "goals" ADD COLUMN     "active_ms" DOUBLE PRECISION NOT NULL DEFAULT 0,
ADD COLUMN     "checks_failed" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "halt_expiry_ms" DOUBLE PRECISION,
ADD COLUMN     "halt_expiry_verdict" TEXT,
ADD COLUMN     "malformed" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "offered" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "priority" TEXT NOT NULL DEFAULT 'normal',
ADD COLUMN     "schedule_id" UUID,
ADD COLUMN     "schedule_key" TEXT,
ADD COLUMN     "time_budget_ms" DOUBLE PRECISION,
ADD COLUMN     "token_budget" INTEGER,
ADD COLUMN     "tokens_used" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "tool_depth" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "verified" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "verify" TEXT;

-- AlterTable
ALTER TABLE "steps" ADD COLUMN     "notes" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "grants" (
    "id" UUID NOT NULL,
    "goal_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "action" TEXT,
    "rule_id" TEXT,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_by" TEXT,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "schedules" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "overlap" TEXT NOT NULL,
    "goal" JSONB NOT NULL,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "grants_goal_id_idx" ON "grants"("goal_id");

-- CreateIndex
CREATE UNIQUE INDEX "schedules_number_key" ON "schedules"("number");

-- CreateIndex
CREATE INDEX "decisions_state_expires_at_idx" ON "decisions"("state", "expires_at");

-- CreateIndex
CREATE INDEX "decisions_action_id_idx" ON "decisions"("action_id");

-- CreateIndex
CREATE UNIQUE INDEX "goals_schedule_key_key" ON "goals"("schedule_key");

-- CreateIndex
CREATE INDEX "goals_schedule_id_idx" ON "goals"("schedule_id");

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedules"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the columns of states may hold from now on.
ALTER TABLE "goals" DROP CONSTRAINT "goals_state_check";
ALTER TABLE "goals" ADD CONSTRAINT "goals_state_check" CHECK ("state" IN ('queued', 'running', 'halted', 'paused', 'waiting', 'done', 'blocked', 'stalled', 'aborted', 'exhausted', 'failed'));
ALTER TABLE "goals" DROP CONSTRAINT "goals_waiting_for_check";
ALTER TABLE "goals" ADD CONSTRAINT "goals_waiting_for_check" CHECK ("waiting_for" IN ('model', 'sandbox', 'turn', 'retry'));
ALTER TABLE "goals" ADD CONSTRAINT "goals_priority_check" CHECK ("priority" IN ('high', 'normal', 'low'));
-- Nobody's silence lets a destructive action run.
ALTER TABLE "goals" ADD CONSTRAINT "goals_halt_expiry_check" CHECK (("halt_expiry_ms" IS NULL) = ("halt_expiry_verdict" IS NULL) AND "halt_expiry_verdict" IN ('skip', 'abort'));
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_expiry_check" CHECK (("expires_at" IS NULL) = ("expiry_verdict" IS NULL) AND "expiry_verdict" IN ('skip', 'abort'));
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_kind_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_kind_check" CHECK ("kind" IN ('halt', 'check', 'tool', 'command', 'elicitation'));
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_verdict_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_verdict_check" CHECK ("verdict" IN ('proceed', 'skip', 'abort', 'edit'));
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_edited_check" CHECK ("edited" IS NULL OR "verdict" = 'edit');
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_granted_check" CHECK ("granted" IS NULL OR ("verdict" = 'proceed' AND "granted" IN ('command', 'rule')));
ALTER TABLE "grants" ADD CONSTRAINT "grants_scope_check" CHECK (("scope" = 'command' AND "action" IS NOT NULL AND "rule_id" IS NULL) OR ("scope" = 'rule' AND "rule_id" IS NOT NULL AND "action" IS NULL));
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_overlap_check" CHECK ("overlap" IN ('skip', 'queue'));
