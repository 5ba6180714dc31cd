-- Nearly equal items are found by their trigrams. A trusted extension: whoever owns the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "app" TEXT,
ADD COLUMN     "owner" TEXT,
ADD COLUMN     "space" TEXT;

-- CreateTable
CREATE TABLE "memory_entries" (
    "owner" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "content" TEXT,
    "target" INTEGER,
    "tags" TEXT[] NOT NULL,
    "origin" TEXT,
    "source" JSONB,
    "by" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "replaces" INTEGER,
    "forgotten_by" INTEGER,
    "extra" JSONB,
    "search" tsvector GENERATED ALWAYS AS (
        to_tsvector('english'::regconfig, coalesce("content", '')) || array_to_tsvector("tags")
    ) STORED,

    CONSTRAINT "memory_entries_pkey" PRIMARY KEY ("owner","number")
);

-- CreateTable
CREATE TABLE "memory_candidates" (
    "number" SERIAL NOT NULL,
    "owner" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "tags" TEXT[] NOT NULL,
    "origin" TEXT NOT NULL,
    "source" JSONB,
    "duplicates" JSONB NOT NULL,
    "secrets" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "item_number" INTEGER,
    "proposed_by" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "memory_candidates_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "memory_backgrounds" (
    "session_id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "numbers" INTEGER[] NOT NULL,
    "loaded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memory_backgrounds_pkey" PRIMARY KEY ("session_id")
);

-- CreateTable
CREATE TABLE "memory_documents" (
    "id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "owner" TEXT,
    "space" TEXT,
    "app" TEXT,
    "key" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "lines" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_by" TEXT NOT NULL,

    CONSTRAINT "memory_documents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memory_headings" (
    "document_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "offset_bytes" INTEGER NOT NULL,
    "depth" INTEGER NOT NULL,
    "title" TEXT NOT NULL,

    CONSTRAINT "memory_headings_pkey" PRIMARY KEY ("document_id","n")
);

-- CreateTable
CREATE TABLE "memory_archives" (
    "document_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "version" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memory_archives_pkey" PRIMARY KEY ("document_id","path")
);

-- CreateIndex
CREATE INDEX "memory_entries_active_idx" ON "memory_entries"("owner", "at" DESC, "number" DESC)
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- CreateIndex
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("search")
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- CreateIndex
CREATE INDEX "memory_entries_content_idx" ON "memory_entries" USING GIN ("content" gin_trgm_ops)
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;

-- CreateIndex
CREATE INDEX "memory_candidates_owner_state_number_idx" ON "memory_candidates"("owner", "state", "number");

-- CreateIndex
CREATE UNIQUE INDEX "memory_documents_key_key" ON "memory_documents"("key");

-- AddForeignKey
ALTER TABLE "memory_backgrounds" ADD CONSTRAINT "memory_backgrounds_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memory_headings" ADD CONSTRAINT "memory_headings_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "memory_documents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memory_archives" ADD CONSTRAINT "memory_archives_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "memory_documents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What columns may hold: the values of packages/contracts, which Prisma cannot say.
ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_kind_check" CHECK ("kind" IN ('fact', 'pref', 'context', 'forget'));
ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_origin_check" CHECK ("origin" IN ('typed', 'person', 'output', 'imported'));
ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_number_check" CHECK ("number" >= 1);
-- A tombstone has a target and nothing else; an item has a content and says where it comes from.
ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_shape_check" CHECK (
    CASE WHEN "kind" = 'forget' THEN "target" IS NOT NULL AND "content" IS NULL
         ELSE "target" IS NULL AND "content" IS NOT NULL AND "origin" IS NOT NULL END);
ALTER TABLE "memory_candidates" ADD CONSTRAINT "memory_candidates_kind_check" CHECK ("kind" IN ('fact', 'pref', 'context'));
ALTER TABLE "memory_candidates" ADD CONSTRAINT "memory_candidates_origin_check" CHECK ("origin" IN ('person', 'output'));
ALTER TABLE "memory_candidates" ADD CONSTRAINT "memory_candidates_state_check" CHECK ("state" IN ('pending', 'accepted', 'rejected'));
-- A reviewed candidate has a person who did it, and an item exactly when it was accepted.
ALTER TABLE "memory_candidates" ADD CONSTRAINT "memory_candidates_decided_check" CHECK (
    ("state" <> 'pending') = ("decided_by" IS NOT NULL) AND ("state" = 'accepted') = ("item_number" IS NOT NULL));
ALTER TABLE "memory_documents" ADD CONSTRAINT "memory_documents_scope_check" CHECK (
    CASE "scope" WHEN 'user' THEN "owner" IS NOT NULL AND "space" IS NULL AND "app" IS NULL
                 WHEN 'space' THEN "owner" IS NULL AND "space" IS NOT NULL AND "app" IS NULL
                 WHEN 'app' THEN "owner" IS NULL AND "space" IS NOT NULL AND "app" IS NOT NULL
                 ELSE false END);
ALTER TABLE "memory_archives" ADD CONSTRAINT "memory_archives_reason_check" CHECK ("reason" IN ('compaction', 'session'));
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_app_check" CHECK (("space" IS NULL) = ("app" IS NULL));

-- Kept uncompressed: a slice of the bytes is then read without the rest.
ALTER TABLE "memory_documents" ALTER COLUMN "content" SET STORAGE EXTERNAL;
ALTER TABLE "memory_archives" ALTER COLUMN "content" SET STORAGE EXTERNAL;
