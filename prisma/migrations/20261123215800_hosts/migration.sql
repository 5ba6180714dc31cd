-- Machines that commands may use over SSH, what was asked for there, and which sessions may.
ALTER TABLE "chats" ADD COLUMN     "hosts" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "goals" ADD COLUMN     "hosts" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE TABLE "hosts" (
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "user" TEXT NOT NULL,
    "login" TEXT NOT NULL,
    "keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sealed" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hosts_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "host_commands" (
    "id" UUID NOT NULL,
    "serial" BIGSERIAL NOT NULL,
    "host" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "reason" TEXT,
    "session_id" UUID NOT NULL,
    "goal_id" UUID,
    "action_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "exit_code" INTEGER,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "host_commands_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "host_commands_serial_key" ON "host_commands"("serial");
CREATE INDEX "host_commands_action_id_idx" ON "host_commands"("action_id");
CREATE INDEX "host_commands_host_serial_idx" ON "host_commands"("host", "serial");
