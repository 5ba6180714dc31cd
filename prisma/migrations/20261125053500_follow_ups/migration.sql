-- What follows a goal that fails: another attempt, or a goal that looks after it.
CREATE TABLE "follow_ups" (
    "goal_id" UUID NOT NULL,
    "goal" JSONB NOT NULL,
    "notices" TEXT[],
    "attempt" INTEGER NOT NULL,
    "followed_at" TIMESTAMPTZ(3),
    CONSTRAINT "follow_ups_pkey" PRIMARY KEY ("goal_id"),
    CONSTRAINT "follow_ups_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "follow_ups_followed_at_idx" ON "follow_ups" ("followed_at");
