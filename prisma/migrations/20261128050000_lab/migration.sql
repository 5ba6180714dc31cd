-- The daily check of hosts: what each probe of each host said, what was found, and the owner's rules.
CREATE TABLE "lab_snapshots" (
    "host" TEXT NOT NULL,
    "probe" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "reading" JSONB NOT NULL,

    CONSTRAINT "lab_snapshots_pkey" PRIMARY KEY ("host","at","probe")
);

CREATE TABLE "lab_findings" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    "muted_state" TEXT,
    "muted_until" TIMESTAMPTZ(3),

    CONSTRAINT "lab_findings_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "lab_findings_kind_host_name_key" ON "lab_findings"("kind", "host", "name");

CREATE TABLE "lab_rules" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "yaml" TEXT NOT NULL,

    CONSTRAINT "lab_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "lab_rules_one" CHECK ("id" = 1)
);
