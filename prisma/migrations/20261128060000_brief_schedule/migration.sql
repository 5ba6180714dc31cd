-- When the brief is made by itself, one row at most, and the text of the notification that it sends.
CREATE TABLE "lab_schedule" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "at" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "looked_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "quiet_at" TIMESTAMPTZ(3),

    CONSTRAINT "lab_schedule_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "lab_schedule_one" CHECK ("id" = 1)
);

ALTER TABLE "notifications" ADD COLUMN "text" TEXT;
