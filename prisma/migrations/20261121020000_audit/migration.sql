-- CreateTable
CREATE TABLE "audit" (
    "n" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "facts" JSONB NOT NULL,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("n")
);

-- CreateIndex
CREATE INDEX "audit_action_n_idx" ON "audit"("action", "n");
