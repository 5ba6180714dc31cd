-- AlterTable
ALTER TABLE "goals" ADD COLUMN "runbooks" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "accepted_runbooks" (
    "name" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "tools" TEXT[],
    "commands" TEXT[],
    "accepted_by" TEXT NOT NULL,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accepted_runbooks_pkey" PRIMARY KEY ("name","digest")
);
