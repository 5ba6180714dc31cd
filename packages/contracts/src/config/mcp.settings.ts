import * as z from 'zod';

export const Mcp = z.object({
  MCP_SERVERS: z
    .string()
    .optional()
    .describe('MCP servers, as JSON: alias -> {url} or {command}, and more; docs/mcp.md'),
  MCP_SECRET_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Encrypts what is secret in the database: of MCP servers, and what commands may use; unset: made from SANDBOX_TOKEN',
    ),
});

/** What secrets in the database are encrypted with. */
export function secretKeyOf(config: z.infer<typeof Mcp> & { readonly SANDBOX_TOKEN: string }): string {
  return config.MCP_SECRET_KEY ?? config.SANDBOX_TOKEN.padEnd(32, '\0');
}
