-- What was said in chats and goals, memory documents and nodes, cut into pieces that one search finds, by words and by meaning.
-- Made from what they were cut from, and thrown away at will.
CREATE TABLE "recall_texts" (
    "id" SERIAL NOT NULL,
    "shelf" TEXT NOT NULL,
    "session_id" UUID,
    "document_id" UUID,
    "node_id" UUID,
    "place" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "questions" TEXT,
    "search" tsvector GENERATED ALWAYS AS (
        to_tsvector('english'::regconfig, "title" || ' ' || "content")
        || CASE WHEN "content" ~ '[/._:@#=-]'
           THEN strip(to_tsvector('english'::regconfig, translate("content", '/._:-@#=', '        '))) ELSE ''::tsvector END
        || strip(to_tsvector('english'::regconfig, coalesce("questions", '')))
        || strip(to_tsvector('english'::regconfig, "by")) || memory_when("at")
    ) STORED,
    CONSTRAINT "recall_texts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "recall_texts_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id")
        ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "recall_texts_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "memory_documents" ("id")
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "recall_texts_session_id_place_part_key" ON "recall_texts" ("session_id", "place", "part");
CREATE UNIQUE INDEX "recall_texts_node_id_key" ON "recall_texts" ("node_id");
CREATE INDEX "recall_texts_document_id_idx" ON "recall_texts" ("document_id");
CREATE INDEX "recall_texts_search_idx" ON "recall_texts" USING GIN ("search");

CREATE TABLE "recall_vectors" (
    "text_id" INTEGER NOT NULL,
    "shelf" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "dimensions" INTEGER NOT NULL,
    "vector" BYTEA NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    CONSTRAINT "recall_vectors_pkey" PRIMARY KEY ("text_id"),
    CONSTRAINT "recall_vectors_text_id_fkey" FOREIGN KEY ("text_id") REFERENCES "recall_texts" ("id")
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "recall_vectors_shelf_seq_idx" ON "recall_vectors" ("shelf", "seq");

-- How far each is cut.
ALTER TABLE "sessions" ADD COLUMN "recalled_seq" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "memory_documents" ADD COLUMN "recalled_version" INTEGER NOT NULL DEFAULT 0;

-- Items are found by questions that they answer, too, where a model writes some.
ALTER TABLE "memory_entries" DROP COLUMN "search";
ALTER TABLE "memory_entries" ADD COLUMN "questions" TEXT;
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english'::regconfig, coalesce("content", ''))
    || CASE WHEN "content" ~ '[/._:@#=-]'
       THEN strip(to_tsvector('english'::regconfig, translate("content", '/._:-@#=', '        '))) ELSE ''::tsvector END
    || array_to_tsvector("tags") || strip(to_tsvector('english'::regconfig, "by")) || memory_when("at")
    || strip(to_tsvector('english'::regconfig, coalesce("questions", '')))
) STORED;
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("search")
    WHERE "target" IS NULL AND "forgotten_by" IS NULL;
