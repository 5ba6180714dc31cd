-- What runs on a host before a command that a person let through, and what takes that back.
ALTER TABLE "hosts" ADD COLUMN     "prelude" TEXT,
ADD COLUMN     "rollback" TEXT;
