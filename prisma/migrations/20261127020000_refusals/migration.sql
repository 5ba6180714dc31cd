-- What a person refused in a session: later commands that touch it are held, and the question quotes the person.
CREATE TABLE "refusals" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "step" INTEGER,
    "action" TEXT NOT NULL,
    "words" TEXT,
    "paths" TEXT[],
    "lifted" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refusals_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "refusals_session_id_idx" ON "refusals"("session_id");

ALTER TABLE "refusals" ADD CONSTRAINT "refusals_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
