-- What a model would have a runbook say, until a person has reviewed it.
CREATE TABLE "runbook_proposals" (
    "number" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "why" TEXT NOT NULL,
    "digest" TEXT,
    "session_id" UUID,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "runbook_proposals_pkey" PRIMARY KEY ("number"),
    CONSTRAINT "runbook_proposals_state_check" CHECK ("state" IN ('pending', 'accepted', 'rejected')),
    CONSTRAINT "runbook_proposals_decided_check" CHECK (("state" = 'pending') = ("decided_by" IS NULL))
);
CREATE INDEX "runbook_proposals_state_number_idx" ON "runbook_proposals"("state", "number");
CREATE INDEX "runbook_proposals_name_idx" ON "runbook_proposals"("name");
CREATE INDEX "runbook_proposals_session_id_idx" ON "runbook_proposals"("session_id");
ALTER TABLE "runbook_proposals" ADD CONSTRAINT "runbook_proposals_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;
