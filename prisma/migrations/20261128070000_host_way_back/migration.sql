-- What became of the way back that a host was given before a command that could cut its connection.
ALTER TABLE "host_commands" ADD COLUMN "way_back" TEXT;
