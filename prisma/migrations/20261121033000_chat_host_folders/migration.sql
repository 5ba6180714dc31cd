-- AlterTable
ALTER TABLE "chats" ADD COLUMN     "host_folders" TEXT[] DEFAULT ARRAY[]::TEXT[];
