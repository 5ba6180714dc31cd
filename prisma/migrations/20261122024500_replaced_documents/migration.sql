-- What a model replaces is kept beside the document.
ALTER TABLE "memory_archives" DROP CONSTRAINT "memory_archives_reason_check";
ALTER TABLE "memory_archives" ADD CONSTRAINT "memory_archives_reason_check" CHECK ("reason" IN ('compaction', 'session', 'replaced'));
