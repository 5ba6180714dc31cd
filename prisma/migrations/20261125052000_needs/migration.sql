-- A goal's model says what it needs to reach, and waits for a person who may give it.
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_kind_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_kind_check" CHECK ("kind" IN ('halt', 'check', 'question', 'need', 'tool', 'command', 'elicitation'));
ALTER TABLE "sessions" ADD COLUMN "network_more" JSONB;
