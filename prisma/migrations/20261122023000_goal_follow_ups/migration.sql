-- AlterTable
ALTER TABLE "chats" ADD COLUMN     "goal_id" UUID;

-- CreateIndex
CREATE UNIQUE INDEX "chats_goal_id_key" ON "chats"("goal_id");

-- AddForeignKey
ALTER TABLE "chats" ADD CONSTRAINT "chats_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable: as text that keeps the order of keys, for what a request describes is the beginning of its prompt
ALTER TABLE "chats" ALTER COLUMN "offered" DROP DEFAULT,
ALTER COLUMN "offered" SET DATA TYPE JSON USING "offered"::text::json,
ALTER COLUMN "offered" SET DEFAULT '[]';

-- AlterTable
ALTER TABLE "goals" ALTER COLUMN "offered" DROP DEFAULT,
ALTER COLUMN "offered" SET DATA TYPE JSON USING "offered"::text::json,
ALTER COLUMN "offered" SET DEFAULT '[]';
