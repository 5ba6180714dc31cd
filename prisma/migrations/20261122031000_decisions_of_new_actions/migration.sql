-- An answer may bring an action and the question about it in one transaction; the question is written first, because its
-- number goes into the event.
ALTER TABLE "decisions" ALTER CONSTRAINT "decisions_action_id_fkey" DEFERRABLE INITIALLY DEFERRED;
