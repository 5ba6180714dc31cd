-- What is archived is left out of lists. Each list is one index away, however many goals and chats there are.
ALTER TABLE "goals" ADD COLUMN     "archived" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "sessions" ADD COLUMN     "archived" BOOLEAN NOT NULL DEFAULT false;

DROP INDEX "goals_created_at_idx";
CREATE INDEX "goals_archived_number_idx" ON "goals"("archived", "number" DESC);
CREATE INDEX "goals_archived_state_number_idx" ON "goals"("archived", "state", "number" DESC);
CREATE INDEX "sessions_archived_updated_at_number_idx" ON "sessions"("archived", "updated_at" DESC, "number" DESC);

-- A goal that is deleted takes its notices with it.
CREATE INDEX "notifications_goal_id_idx" ON "notifications"("goal_id");
CREATE INDEX "notifications_decision_id_idx" ON "notifications"("decision_id");
