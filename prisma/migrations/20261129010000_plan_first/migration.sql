-- A goal can wait for a person to accept its plan. Until then it only looks.
ALTER TABLE "goals" ADD COLUMN "awaits_plan" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_kind_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_kind_check" CHECK ("kind" IN ('halt', 'check', 'plan', 'question', 'need', 'tool', 'command', 'elicitation'));
