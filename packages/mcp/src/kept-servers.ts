import type { AddMcpProgram, ConnectMcpServer } from '@aish/contracts/mcp';
import { McpProtocol, type McpServer } from '@aish/contracts/mcp-config';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { deleteMcpServer, insertMcpServer, listMcpServers } from '@aish/database/mcp.repository';
import type { Tx } from '@aish/database/tx';
import type { SecretBox } from '@aish/secrets/secret-box';
import { z } from 'zod';
import type { KeptServer, ServerStore } from './registry.js';

const KEPT_HOURS = 24;

const HttpSettings = z.object({
  url: z.string(),
  protocol: McpProtocol,
  transport: z.enum(['auto', 'streamable', 'sse']),
  oauth: z.boolean(),
  // Older entries do not have this field, and nobody knows whether an admin connected them.
  allowedAddresses: z.enum(['private', 'public']).default('public'),
});
const ProgramSettings = z.object({
  command: z.array(z.string()).min(1),
  image: z.string().nullable(),
  space: z.string().nullable(),
  protocol: McpProtocol,
});
const Settings = z.union([ProgramSettings, HttpSettings]);
const Secrets = z.object({ headers: z.record(z.string(), z.string()), bearerToken: z.string().nullable() });

/** The servers that were connected at run time, stored in the database for every process. */
export class KeptServers implements ServerStore {
  constructor(
    private readonly db: Database,
    private readonly box: SecretBox,
    private readonly log: (alias: string, text: string) => void,
  ) {}

  async list(): Promise<readonly KeptServer[]> {
    const rows = await listMcpServers(this.db.statements);
    return rows.flatMap((row) => {
      try {
        const settings = Settings.parse(row.settings);
        const secrets = row.sealed === null ? null : Secrets.parse(JSON.parse(this.box.open(row.sealed, row.alias)));
        const server = serverOf(row.alias, settings, secrets);
        const source: KeptServer['source'] = row.isSaved ? 'saved' : 'session';
        return [{ server, source, revision: row.createdAt.toISOString() }];
      } catch (error) {
        // Another key or a newer version wrote this row. The other servers are not affected.
        this.log(row.alias, isAishError(error) ? error.message : 'its stored settings cannot be read');
        return [];
      }
    });
  }

  /** @throws AishError `mcp_alias_taken` */
  async add(
    tx: Tx,
    alias: string,
    request: ConnectMcpServer,
    { by, allowedAddresses }: { readonly by: string; readonly allowedAddresses: 'private' | 'public' },
  ): Promise<void> {
    const { url, protocol, transport, oauth, headers, bearerToken = null, save } = request;
    const hasSecrets = bearerToken !== null || Object.keys(headers).length > 0;
    const added = await insertMcpServer(tx, {
      alias,
      settings: { url, protocol, transport, oauth, allowedAddresses },
      sealed: hasSecrets ? this.box.seal(JSON.stringify({ headers, bearerToken }), alias) : null,
      isSaved: save,
      createdBy: by,
      keptHours: save ? null : KEPT_HOURS,
    });
    if (!added) throw aliasTaken(alias);
  }

  /**
   * Adds a program permanently.
   *
   * @throws AishError `mcp_alias_taken`
   */
  async addProgram(tx: Tx, { alias, ...program }: AddMcpProgram, by: string): Promise<void> {
    const settings = { ...program, image: program.image ?? null, space: program.space ?? null };
    const row = { alias, settings, sealed: null, isSaved: true, createdBy: by, keptHours: null };
    if (!(await insertMcpServer(tx, row))) throw aliasTaken(alias);
  }

  /** @returns false if there was no such server. */
  remove(tx: Tx, alias: string): Promise<boolean> {
    return deleteMcpServer(tx, alias);
  }
}

/** @returns the error for an alias that another server has. */
export function aliasTaken(alias: string): AishError {
  return new AishError(
    'mcp_alias_taken',
    `An MCP server named ${alias} already exists. Disconnect it, or choose an alias`,
  );
}

/**
 * Settings of a server that was connected at run time, because only the configuration can make servers trusted or
 * approve tools.
 */
const UNTRUSTED = { trusted: false, autoApprove: false, connectTimeoutMs: 10_000, callTimeoutMs: 60_000 };

function serverOf(
  alias: string,
  settings: z.infer<typeof Settings>,
  secrets: z.infer<typeof Secrets> | null,
): McpServer {
  if ('command' in settings) return { alias, kind: 'stdio', ...settings, env: {}, ...UNTRUSTED };
  const { url, protocol, transport, oauth, allowedAddresses } = settings;
  return {
    alias,
    kind: 'http',
    url,
    transport,
    protocol,
    headers: secrets?.headers ?? {},
    bearerToken: secrets?.bearerToken ?? null,
    oauth: oauth ? { grant: 'authorization_code', clientId: null, clientSecret: null, scope: null } : null,
    allowedAddresses,
    ...UNTRUSTED,
  };
}
