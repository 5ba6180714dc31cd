-- Who may send events. `sealed` opens with the key of the installation alone.
CREATE TABLE "event_sources" (
    "name" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "header" TEXT,
    "sealed" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_sources_pkey" PRIMARY KEY ("name")
);

-- What an event begins.
CREATE TABLE "event_rules" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "source" TEXT NOT NULL,
    "rule" JSONB NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_rules_pkey" PRIMARY KEY ("id")
);

-- The newest of each source. What is the same as one before is counted there.
CREATE TABLE "received_events" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "source" TEXT NOT NULL,
    "rule_id" UUID,
    "key" TEXT,
    "delivery" TEXT,
    "outcome" TEXT NOT NULL,
    "repeats" INTEGER NOT NULL DEFAULT 0,
    "goal_id" UUID,
    "body" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "received_events_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "event_rules_number_key" ON "event_rules"("number");
CREATE INDEX "event_rules_source_idx" ON "event_rules"("source");
CREATE UNIQUE INDEX "received_events_number_key" ON "received_events"("number");
CREATE UNIQUE INDEX "received_events_source_delivery_key" ON "received_events"("source", "delivery");
CREATE INDEX "received_events_source_number_idx" ON "received_events"("source", "number" DESC);
CREATE INDEX "received_events_rule_id_key_number_idx" ON "received_events"("rule_id", "key", "number" DESC);
CREATE INDEX "received_events_goal_id_idx" ON "received_events"("goal_id");

ALTER TABLE "event_rules" ADD CONSTRAINT "event_rules_source_fkey" FOREIGN KEY ("source") REFERENCES "event_sources"("name") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "received_events" ADD CONSTRAINT "received_events_source_fkey" FOREIGN KEY ("source") REFERENCES "event_sources"("name") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "received_events" ADD CONSTRAINT "received_events_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "event_rules"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "received_events" ADD CONSTRAINT "received_events_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE SET NULL ON UPDATE CASCADE;
