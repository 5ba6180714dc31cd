-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "projects" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "scoped" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "knowledge_nodes" (
    "id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "title_key" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "types" TEXT[],
    "tags" TEXT[],
    "projects" TEXT[],
    "status" TEXT NOT NULL,
    "visibility" TEXT NOT NULL,
    "confidence" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_curated" TIMESTAMPTZ(3),
    "sources" TEXT[],
    "search" tsvector NOT NULL,
    "title_search" tsvector NOT NULL,

    CONSTRAINT "knowledge_nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "knowledge_links" (
    "from_id" UUID NOT NULL,
    "to_id" UUID NOT NULL,
    "relation" TEXT NOT NULL,

    CONSTRAINT "knowledge_links_pkey" PRIMARY KEY ("from_id","to_id","relation")
);

-- CreateTable
CREATE TABLE "knowledge_index" (
    "id" INTEGER NOT NULL,
    "dir" TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    "indexed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "knowledge_index_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "knowledge_nodes_path_key" ON "knowledge_nodes"("path");

-- CreateIndex
CREATE INDEX "knowledge_nodes_search_idx" ON "knowledge_nodes" USING GIN ("search");

-- CreateIndex
CREATE INDEX "knowledge_nodes_title_search_idx" ON "knowledge_nodes" USING GIN ("title_search");

-- CreateIndex
CREATE INDEX "knowledge_nodes_updated_at_id_idx" ON "knowledge_nodes"("updated_at" DESC, "id");

-- CreateIndex
CREATE INDEX "knowledge_links_to_id_idx" ON "knowledge_links"("to_id");

-- AddForeignKey
ALTER TABLE "knowledge_links" ADD CONSTRAINT "knowledge_links_from_id_fkey" FOREIGN KEY ("from_id") REFERENCES "knowledge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the columns may hold: the values of packages/contracts, which Prisma cannot say.
ALTER TABLE "knowledge_nodes" ADD CONSTRAINT "knowledge_nodes_status_check" CHECK ("status" IN ('active', 'contested', 'superseded'));
ALTER TABLE "knowledge_nodes" ADD CONSTRAINT "knowledge_nodes_visibility_check" CHECK ("visibility" IN ('shared', 'private'));
ALTER TABLE "knowledge_nodes" ADD CONSTRAINT "knowledge_nodes_confidence_check" CHECK ("confidence" IN ('stated', 'observed', 'verified', 'inferred'));
ALTER TABLE "knowledge_links" ADD CONSTRAINT "knowledge_links_relation_check" CHECK ("relation" IN ('SUPERSEDES', 'CONTRADICTS', 'RELATES_TO', 'IMPLEMENTS', 'DERIVED_FROM'));
ALTER TABLE "knowledge_index" ADD CONSTRAINT "knowledge_index_one_row" CHECK ("id" = 1);
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_scoped_check" CHECK ("scoped" OR "projects" = ARRAY[]::text[]);
