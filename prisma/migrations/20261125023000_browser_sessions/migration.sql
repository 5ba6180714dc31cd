-- A browser's session is a token whose secret lies in a cookie. It ends with the token that it was begun with.
ALTER TABLE "api_tokens" ADD COLUMN "web" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "api_tokens" ADD COLUMN "parent_id" UUID;
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_parent_id_fkey"
  FOREIGN KEY ("parent_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
