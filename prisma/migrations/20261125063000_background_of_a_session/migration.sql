-- Null: the block was not loaded yet; what was remembered in the session before waits for it.
ALTER TABLE "memory_backgrounds" ALTER COLUMN "loaded_at" DROP NOT NULL, ALTER COLUMN "loaded_at" DROP DEFAULT;
