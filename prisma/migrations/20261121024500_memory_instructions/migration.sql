-- AlterTable
ALTER TABLE "memory_backgrounds" ADD COLUMN     "instructions" TEXT;
