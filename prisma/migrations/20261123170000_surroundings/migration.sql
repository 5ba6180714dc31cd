-- A verdict is for the surroundings that were shown with it, a grant for those, or for the tool, that it was given with.
-- Grants of before are kept and cover nothing: what they were given in is not known.
ALTER TABLE "decisions" ADD COLUMN "surroundings" JSONB,
ADD COLUMN "binding" TEXT,
ADD COLUMN "carried" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "grants" ADD COLUMN "binding" TEXT,
ADD COLUMN "carried" BOOLEAN NOT NULL DEFAULT false;
