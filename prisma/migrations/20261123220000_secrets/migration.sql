-- What commands may use without having it. `sealed` opens with the key of the installation alone.
CREATE TABLE "secrets" (
    "name" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "targets" JSONB NOT NULL,
    "body" BOOLEAN NOT NULL DEFAULT false,
    "certificate" TEXT,
    "set_by" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "session_secrets" (
    "session_id" UUID NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "session_secrets_pkey" PRIMARY KEY ("session_id","name")
);

ALTER TABLE "session_secrets" ADD CONSTRAINT "session_secrets_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "session_secrets" ADD CONSTRAINT "session_secrets_name_fkey" FOREIGN KEY ("name") REFERENCES "secrets"("name") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "session_secrets_name_idx" ON "session_secrets"("name");
