-- What happened is a part of the brief now.
DELETE FROM "notifications" WHERE "kind" = 'digest';

ALTER TABLE "notifications" DROP COLUMN "digest_until";
