-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "event_seq" INTEGER NOT NULL DEFAULT 0,
    "turn_seq" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turns" (
    "session_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "meta" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "turns_pkey" PRIMARY KEY ("session_id","seq")
);

-- CreateTable
CREATE TABLE "goals" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "preset" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "waiting_for" TEXT,
    "wake_at" TIMESTAMPTZ(3),
    "waits" INTEGER NOT NULL DEFAULT 0,
    "step_budget" INTEGER NOT NULL,
    "steps_taken" INTEGER NOT NULL DEFAULT 0,
    "nudged" BOOLEAN NOT NULL DEFAULT false,
    "summary" TEXT,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "goals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "steps" (
    "goal_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "text" TEXT,
    "model" TEXT,
    "usage" JSONB,
    "goal_line" JSONB,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "steps_pkey" PRIMARY KEY ("goal_id","n")
);

-- CreateTable
CREATE TABLE "actions" (
    "id" UUID NOT NULL,
    "goal_id" UUID NOT NULL,
    "step_number" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "classification" JSONB,
    "outcome" JSONB,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "actions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "goal_id" UUID NOT NULL,
    "action_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "classification" JSONB,
    "action" TEXT NOT NULL,
    "step_number" INTEGER NOT NULL,
    "step_budget" INTEGER NOT NULL,
    "context" TEXT NOT NULL,
    "verdict" TEXT,
    "message" TEXT,
    "decided_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "session_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("session_id","seq")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "goals_number_key" ON "goals"("number");

-- CreateIndex
CREATE UNIQUE INDEX "goals_session_id_key" ON "goals"("session_id");

-- CreateIndex
CREATE INDEX "goals_state_wake_at_idx" ON "goals"("state", "wake_at");

-- CreateIndex
CREATE INDEX "goals_created_at_idx" ON "goals"("created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "actions_goal_id_step_number_n_key" ON "actions"("goal_id", "step_number", "n");

-- CreateIndex
CREATE UNIQUE INDEX "decisions_number_key" ON "decisions"("number");

-- CreateIndex
CREATE UNIQUE INDEX "decisions_action_id_key" ON "decisions"("action_id");

-- CreateIndex
CREATE INDEX "decisions_state_created_at_idx" ON "decisions"("state", "created_at");

-- CreateIndex
CREATE INDEX "decisions_goal_id_idx" ON "decisions"("goal_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "actions" ADD CONSTRAINT "actions_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "actions" ADD CONSTRAINT "actions_goal_id_step_number_fkey" FOREIGN KEY ("goal_id", "step_number") REFERENCES "steps"("goal_id", "n") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the columns of states may hold: the values of packages/contracts, which Prisma cannot say. A new value is a new
-- migration that replaces the constraint.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_kind_check" CHECK ("kind" IN ('chat', 'goal'));
ALTER TABLE "turns" ADD CONSTRAINT "turns_role_check" CHECK ("role" IN ('user', 'assistant', 'tool', 'output', 'notice'));
ALTER TABLE "goals" ADD CONSTRAINT "goals_state_check" CHECK ("state" IN ('queued', 'running', 'halted', 'waiting', 'done', 'blocked', 'stalled', 'aborted', 'exhausted', 'failed'));
ALTER TABLE "goals" ADD CONSTRAINT "goals_waiting_for_check" CHECK ("waiting_for" IN ('model', 'sandbox'));
ALTER TABLE "actions" ADD CONSTRAINT "actions_kind_check" CHECK ("kind" IN ('command'));
ALTER TABLE "actions" ADD CONSTRAINT "actions_state_check" CHECK ("state" IN ('pending', 'halted', 'approved', 'started', 'finished', 'skipped', 'lost'));
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_state_check" CHECK ("state" IN ('pending', 'decided', 'withdrawn'));
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_verdict_check" CHECK ("verdict" IN ('proceed', 'skip', 'abort'));

-- A decision has a verdict and a person who gave it exactly when it is decided.
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_decided_check" CHECK (("state" = 'decided') = ("verdict" IS NOT NULL AND "decided_by" IS NOT NULL));

ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_scopes_check" CHECK ("scopes" <@ ARRAY['admin', 'operate', 'observe', 'decide', 'app']);
