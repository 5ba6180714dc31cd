-- A device that asks to be let in (RFC 8628): whoever holds an admin's token says yes to the code that it shows.
CREATE TABLE "device_logins" (
    "user_code" TEXT NOT NULL,
    "device_hash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "decided_by" TEXT,
    "interval_s" INTEGER NOT NULL,
    "asked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "device_logins_pkey" PRIMARY KEY ("user_code")
);

CREATE UNIQUE INDEX "device_logins_device_hash_key" ON "device_logins"("device_hash");
CREATE INDEX "device_logins_address_created_at_idx" ON "device_logins"("address", "created_at" DESC);
