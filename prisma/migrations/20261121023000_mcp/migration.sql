-- CreateTable
CREATE TABLE "mcp_servers" (
    "alias" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "sealed" TEXT,
    "is_saved" BOOLEAN NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "mcp_servers_pkey" PRIMARY KEY ("alias")
);

-- CreateTable
CREATE TABLE "mcp_authorizations" (
    "alias" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_authorizations_pkey" PRIMARY KEY ("alias","url")
);
