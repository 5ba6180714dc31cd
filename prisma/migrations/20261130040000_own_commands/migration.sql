-- An undo finds a person's own command by its ID. There are few of them among the events.
CREATE INDEX "events_own_commands_idx" ON "events" (("payload" ->> 'commandId')) WHERE "type" = 'command.started';
