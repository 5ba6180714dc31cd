-- What was read on a host before an approved command ended something there.
CREATE TABLE "host_evidence" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "action_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "subjects" TEXT[],
    "text" TEXT NOT NULL,
    "failed" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "host_evidence_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "host_evidence_session_id_at_idx" ON "host_evidence"("session_id", "at");

ALTER TABLE "host_evidence" ADD CONSTRAINT "host_evidence_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
