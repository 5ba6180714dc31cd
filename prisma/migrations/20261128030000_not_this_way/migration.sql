-- A second way to refuse an action, which protects nothing: "not this way".
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_verdict_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_verdict_check" CHECK ("verdict" IN ('proceed', 'skip', 'instead', 'abort', 'edit'));

-- Of a question about what was refused before: which attempt at that it is.
ALTER TABLE "decisions" ADD COLUMN "attempt" INTEGER;
