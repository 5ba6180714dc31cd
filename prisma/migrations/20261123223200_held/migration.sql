-- What a command did that a person is asked about, and the commands whose effects nobody has decided about.
ALTER TABLE "decisions" ADD COLUMN "difference" JSONB;
CREATE INDEX "actions_held" ON "actions" ("state") WHERE outcome -> 'held' IS NOT NULL;
