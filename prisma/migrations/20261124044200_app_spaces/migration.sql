-- What an app began before there were spaces is of its own space: its token works in no other.
CREATE TEMPORARY TABLE "app_tokens" AS
SELECT * FROM (
  SELECT DISTINCT ON ("name") "name", "space", "app" FROM "api_tokens" ORDER BY "name", "revoked_at" NULLS FIRST, "created_at" DESC
) t WHERE "space" IS NOT NULL AND "app" IS NOT NULL;

UPDATE "goals" g SET "space" = t."space" FROM "app_tokens" t WHERE t."name" = g."created_by" AND g."space" = 'general';
UPDATE "sessions" s SET "space" = t."space" FROM "goals" g JOIN "app_tokens" t ON t."name" = g."created_by"
WHERE g."session_id" = s."id" AND s."space" = 'general';
UPDATE "sessions" s SET "space" = t."space" FROM "chats" c JOIN "app_tokens" t ON t."name" = c."owner"
WHERE c."session_id" = s."id" AND c."goal_id" IS NULL AND s."space" = 'general';
UPDATE "schedules" c SET "goal" = c."goal" || jsonb_build_object('space', t."space") FROM "app_tokens" t
WHERE t."name" = c."created_by" AND NOT c."goal" ? 'space';

DROP TABLE "app_tokens";
