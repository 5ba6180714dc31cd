-- Variables that a person found fine for the rest of a goal: "action" names them, "binding" is the digest of their values.
ALTER TABLE "grants" DROP CONSTRAINT "grants_scope_check";
ALTER TABLE "grants" ADD CONSTRAINT "grants_scope_check" CHECK (
  ("scope" IN ('command', 'variables') AND "action" IS NOT NULL AND "rule_id" IS NULL)
  OR ("scope" = 'rule' AND "rule_id" IS NOT NULL AND "action" IS NULL));
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_granted_check";
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_granted_check" CHECK (
  "granted" IS NULL OR ("verdict" = 'proceed' AND "granted" IN ('command', 'rule', 'variables')));
