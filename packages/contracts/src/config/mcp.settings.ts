import * as z from 'zod';

export const Mcp = z.object({
  MCP_SERVERS: z
    .string()
    .optional()
    .describe('MCP servers, as JSON: alias -> {url} or {command}, and more; see docs/mcp.md'),
  MCP_SECRET_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Key that encrypts secrets of MCP servers and commands in the database; unset: derived from SANDBOX_TOKEN',
    ),
});

/** The key that encrypts secrets in the database. */
export function secretKeyOf(config: z.infer<typeof Mcp> & { readonly SANDBOX_TOKEN: string }): string {
  return config.MCP_SECRET_KEY ?? config.SANDBOX_TOKEN.padEnd(32, '\0');
}
