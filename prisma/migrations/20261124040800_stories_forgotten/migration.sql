-- Goals that ended long ago may keep their record alone.
ALTER TABLE "goals" ADD COLUMN "story_forgotten_at" TIMESTAMPTZ(3);
CREATE INDEX "goals_with_story" ON "goals" ("ended_at") WHERE "ended_at" IS NOT NULL AND ("story_forgotten_at" IS NULL OR "story_forgotten_at" < "ended_at");
