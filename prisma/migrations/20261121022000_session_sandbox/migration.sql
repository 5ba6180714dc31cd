-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "carry_over" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "sandbox" TEXT;

-- There was one sandbox service, so it holds the workspaces that are there.
UPDATE "sessions" SET "sandbox" = 'default';
