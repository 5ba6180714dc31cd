-- When changes may be made in a space, who has to let them, and who is told next of what nobody answers.
ALTER TABLE "spaces" ADD COLUMN "windows" JSONB NOT NULL DEFAULT '[]',
    ADD COLUMN "approvals" JSONB NOT NULL DEFAULT '[]',
    ADD COLUMN "escalation" JSONB NOT NULL DEFAULT '[]';

-- Who has let an action run so far, when it runs, and whether it was let through for a change window.
ALTER TABLE "decisions" ADD COLUMN "approvals" JSONB NOT NULL DEFAULT '[]',
    ADD COLUMN "waits_until" TIMESTAMPTZ(3),
    ADD COLUMN "in_window" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "decisions_state_waits_until_idx" ON "decisions"("state", "waits_until");

-- Another person or place than that of all notices.
ALTER TABLE "notifications" ADD COLUMN "recipient" TEXT;
