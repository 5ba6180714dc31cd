-- Repetition is seen from the actions themselves, in chats as in goals.
ALTER TABLE "chats" DROP COLUMN "calls";
