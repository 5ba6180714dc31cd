-- AlterTable
ALTER TABLE "audit" ADD COLUMN "seal" BIGINT, ADD COLUMN "hash" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "audit_seal_key" ON "audit"("seal");
