-- Images that commands run in where a space says so. `built` is the build that they get; a session keeps the one that it began with.
CREATE TABLE "images" (
    "name" TEXT NOT NULL,
    "recipe" JSONB NOT NULL,
    "built" UUID,
    "digest" TEXT,
    "size_bytes" BIGINT,
    "built_at" TIMESTAMPTZ(3),
    "building" UUID,
    "detail" TEXT,
    "set_by" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "images_pkey" PRIMARY KEY ("name")
);

ALTER TABLE "spaces" ADD COLUMN "image" TEXT;
ALTER TABLE "spaces" ADD COLUMN "limits" JSONB NOT NULL DEFAULT '{}';
ALTER TABLE "sessions" ADD COLUMN "run_image" JSONB;
