-- What goals and chats of a space reach, and who may work in it. A space without a row reaches nothing; `general`, where
-- everybody works who names none, needs none to be there.
CREATE TABLE "spaces" (
    "name" TEXT NOT NULL,
    "network" JSONB NOT NULL,
    "host_folders" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "hosts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secrets" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "preset" TEXT,
    "step_budget" INTEGER,
    "token_budget" INTEGER,
    "instructions" TEXT NOT NULL DEFAULT '',
    "users" TEXT[],
    "deciders" TEXT[],
    "changed_by" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spaces_pkey" PRIMARY KEY ("name")
);

ALTER TABLE "sessions" ADD COLUMN "space" TEXT NOT NULL DEFAULT 'general';
ALTER TABLE "sessions" ADD COLUMN "network" JSONB;
ALTER TABLE "goals" ADD COLUMN "space" TEXT NOT NULL DEFAULT 'general';

-- The memory of those who named no space was that of `default`. It stays so where there is one of `general` already.
UPDATE "memory_documents" d SET "space" = 'general', "key" = regexp_replace("key", '^(space|app)/default', '\1/general')
WHERE "space" = 'default' AND NOT EXISTS (SELECT 1 FROM "memory_documents" WHERE "space" = 'general')
  AND NOT EXISTS (SELECT 1 FROM "api_tokens" WHERE "space" = 'default' OR "space" = 'general');
