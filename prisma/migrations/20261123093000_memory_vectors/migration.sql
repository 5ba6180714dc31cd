-- What items mean, by the model that made it: thrown away at will, made anew when the model is another one.
CREATE TABLE "memory_vectors" (
    "owner" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "dimensions" INTEGER NOT NULL,
    "vector" BYTEA NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    CONSTRAINT "memory_vectors_pkey" PRIMARY KEY ("owner", "number"),
    CONSTRAINT "memory_vectors_entry_fkey" FOREIGN KEY ("owner", "number") REFERENCES "memory_entries" ("owner", "number")
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "memory_vectors_owner_seq_idx" ON "memory_vectors" ("owner", "seq");
