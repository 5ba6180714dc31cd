-- Before each turn a goal looks for messages that its model has not read. They are few among its events.
CREATE INDEX "events_said_idx" ON "events" ("session_id", "seq") WHERE "type" IN ('goal.said', 'goal.heard', 'goal.noticed');
