-- Whose words a turn is. Until now this was read out of the words themselves.
ALTER TABLE "turns" ADD COLUMN     "parts" JSONB,
ADD COLUMN     "provenance" TEXT;

-- Of what is there, only what is certain counts as a person's. The first turn of a goal that an event gave quotes the event.
UPDATE "turns" SET "provenance" = CASE
  WHEN "role" = 'assistant' THEN 'model'
  WHEN "role" = 'user' AND "content" !~ '^\[(aish|background)\] ' THEN 'person'
  WHEN "role" IN ('user', 'notice') AND "content" ~ '^\[aish\] ' THEN 'aish'
  ELSE 'tool'
END;
UPDATE "turns" t SET "provenance" = 'tool' FROM "goals" g
WHERE g."session_id" = t."session_id" AND t."seq" = 1 AND g."created_by" LIKE 'event %';

-- A refusal still counts as one: what was refused, and what the person said with it.
UPDATE "turns" SET "parts" = jsonb_build_array(
  jsonb_build_object('provenance', 'person', 'text', "content", 'isRefusal', true))
WHERE "role" IN ('notice', 'tool')
  AND "content" ~ '^\[aish\] (action skipped by user|rolled back by user|The user does not )';

ALTER TABLE "turns" ALTER COLUMN "provenance" SET NOT NULL;
