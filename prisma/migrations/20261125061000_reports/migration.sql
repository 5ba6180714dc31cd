-- Whether the end of each goal of a schedule is told, or only one that differs from the last.
ALTER TABLE "schedules" ADD COLUMN "report_when" TEXT NOT NULL DEFAULT 'always';
