-- AlterTable
ALTER TABLE "goals" ADD COLUMN     "host_folders" TEXT[] DEFAULT ARRAY[]::TEXT[];
