-- MCP servers whose tools goals and chats of a space have; null: those of all servers. A session keeps what it began with.
ALTER TABLE "spaces" ADD COLUMN "mcp_servers" TEXT[];
ALTER TABLE "sessions" ADD COLUMN "mcp_servers" TEXT[];
