-- The digest of a week is of no goal.
ALTER TABLE "notifications" ALTER COLUMN "goal_id" DROP NOT NULL, ADD COLUMN "digest_until" TIMESTAMPTZ(3);
