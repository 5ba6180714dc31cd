-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "number" SERIAL NOT NULL;

-- CreateTable
CREATE TABLE "chats" (
    "session_id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "preset" TEXT NOT NULL,
    "auto_continue" BOOLEAN NOT NULL DEFAULT false,
    "confirm_commands" BOOLEAN NOT NULL DEFAULT true,
    "state" TEXT NOT NULL DEFAULT 'idle',
    "exchange" INTEGER NOT NULL DEFAULT 0,
    "rounds" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "draft" TEXT NOT NULL DEFAULT '',
    "draft_reasoning" TEXT NOT NULL DEFAULT '',
    "offered" JSONB NOT NULL DEFAULT '[]',
    "calls" JSONB NOT NULL DEFAULT '[]',
    "grants" JSONB NOT NULL DEFAULT '[]',
    "forked_session" UUID,
    "forked_turn" INTEGER,
    "titled" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chats_pkey" PRIMARY KEY ("session_id")
);

-- CreateTable
CREATE TABLE "kept_results" (
    "session_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "mime_type" TEXT,
    "content" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kept_results_pkey" PRIMARY KEY ("session_id","n")
);

-- CreateTable
CREATE TABLE "tool_approvals" (
    "label" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "approved_by" TEXT NOT NULL,
    "approved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_approvals_pkey" PRIMARY KEY ("label")
);

-- CreateTable
CREATE TABLE "model_fits" (
    "base_url" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "fit" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_fits_pkey" PRIMARY KEY ("base_url","model")
);

-- CreateIndex
CREATE INDEX "chats_state_updated_at_idx" ON "chats"("state", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_number_key" ON "sessions"("number");

-- AddForeignKey
ALTER TABLE "chats" ADD CONSTRAINT "chats_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "kept_results" ADD CONSTRAINT "kept_results_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Finds sessions by words. An expression index, which the schema file cannot say. Longer turns are found by their beginning.
CREATE INDEX "turns_search_idx" ON "turns" USING gin (to_tsvector('simple', left("content", 50000)));
