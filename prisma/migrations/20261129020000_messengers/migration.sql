-- The accounts of messengers that belong to people. A binding ends with the token with which its person asked for it.
CREATE TABLE "messenger_accounts" (
    "channel" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "room" TEXT NOT NULL,
    "token_id" UUID NOT NULL,
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messenger_accounts_pkey" PRIMARY KEY ("channel", "account")
);
CREATE INDEX "messenger_accounts_token_id_idx" ON "messenger_accounts"("token_id");
ALTER TABLE "messenger_accounts" ADD CONSTRAINT "messenger_accounts_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The codes that bind accounts, as SHA-256 hashes.
CREATE TABLE "messenger_codes" (
    "token_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messenger_codes_pkey" PRIMARY KEY ("token_id")
);
CREATE UNIQUE INDEX "messenger_codes_hash_key" ON "messenger_codes"("hash");
ALTER TABLE "messenger_codes" ADD CONSTRAINT "messenger_codes_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
