import { VERSION } from '@aish/contracts/health';
import type { McpOAuthCallback } from '@aish/contracts/mcp';
import type { McpServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { readMcpAuthorization, writeMcpAuthorization } from '@aish/database/mcp.repository';
import type { StdioPrograms } from '@aish/sandbox-client';
import type { SecretBox } from '@aish/secrets/secret-box';
import { McpBrowser } from './browse.js';
import { KeptServers } from './kept-servers.js';
import { BrowserAuthorization, authorizationOf, type OAuthStore } from './oauth.js';
import { McpRegistry } from './registry.js';
import { SpacePrograms } from './space-programs.js';

export interface OpenMcpOptions {
  readonly db: Database;
  readonly servers: readonly McpServer[];
  /** Encrypts secrets in the database. It is the same in every process. */
  readonly box: SecretBox;
  /** Encrypts the secrets of spaces. */
  readonly secrets: SecretBox;
  readonly programs: StdioPrograms | null;
  /** The address to which browsers return; null in a process that shows no links. */
  readonly oauthCallbackUrl: string | null;
  readonly log: (alias: string, text: string) => void;
}

/** The MCP objects of one process. */
export interface Mcp {
  readonly registry: McpRegistry;
  readonly browser: McpBrowser;
  readonly kept: KeptServers;
  /**
   * Handles the callback of a browser.
   *
   * @throws AishError `forbidden`, `not_found`, `mcp_unauthorized`
   */
  finishOAuth(callback: McpOAuthCallback): Promise<string>;
  close(): Promise<void>;
}

/** Starts to connect the servers of the configuration and of the database. It returns at once. */
export async function openMcp(options: OpenMcpOptions): Promise<Mcp> {
  const { db, log, box, oauthCallbackUrl, programs } = options;
  const kept = new KeptServers(db, box, log);
  const store = oauthStore(db, box);
  const flows = new Map<string, BrowserAuthorization>();
  const registry = new McpRegistry({
    configured: options.servers,
    store: kept,
    programs: programs === null ? null : new SpacePrograms(programs, db, options.secrets),
    version: VERSION,
    log,
    oauth: (server) => {
      if (server.kind !== 'http') return null;
      const provider = authorizationOf(server, store, oauthCallbackUrl);
      if (!(provider instanceof BrowserAuthorization)) {
        return provider === null ? null : { provider, authorizeUrl: () => null };
      }
      flows.set(server.alias, provider);
      return { provider, authorizeUrl: () => provider.authorizeUrl };
    },
  });
  await registry.start();
  return {
    registry,
    browser: new McpBrowser(registry),
    kept,
    finishOAuth: async (callback) => {
      const alias = callback.state.split('.', 1)[0] ?? '';
      const flow = flows.get(alias);
      if (flow === undefined) throw new AishError('not_found', 'No MCP server is waiting for this authorization');
      await flow.finish(callback);
      registry.server(alias).retry();
      return alias;
    },
    close: () => registry.close(),
  };
}

function oauthStore(db: Database, box: SecretBox): OAuthStore {
  const about = (alias: string, url: string) => `${alias} ${url}`;
  return {
    read: async (alias, url) => {
      const sealed = await readMcpAuthorization(db.statements, alias, url);
      return sealed === null ? null : box.open(sealed, about(alias, url));
    },
    write: (alias, url, text) => writeMcpAuthorization(db.statements, alias, url, box.seal(text, about(alias, url))),
  };
}
