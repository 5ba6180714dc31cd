-- A goal's model asks a person, and waits for the answer.
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_kind_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_kind_check" CHECK ("kind" IN ('halt', 'check', 'question', 'tool', 'command', 'elicitation'));
