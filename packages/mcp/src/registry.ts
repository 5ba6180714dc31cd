import type { McpServerStatus } from '@aish/contracts/mcp';
import type { McpServer } from '@aish/contracts/mcp-config';
import { AishError, isAishError } from '@aish/contracts/problems';
import type {
  PendingTask,
  ServerTask,
  ToolCall,
  ToolCallOptions,
  ToolContext,
  ToolProvider,
  ToolResult,
  ToolSpec,
} from '@aish/contracts/tools';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { isSessionGone } from './errors.js';
import { labelOf } from './naming.js';
import { ServerLink } from './server-link.js';
import { askAfter, cancelTask, endpointOf, isUnavailable, untilEnded } from './server-task.js';
import type { McpSession } from './session.js';
import type { ServerPrograms } from './space-programs.js';
import type { ListedTool } from './tool-list.js';

/** A server that was connected at run time, as it is stored for all processes. */
export interface KeptServer {
  readonly server: McpServer;
  /** A server with `session` is deleted after a day. */
  readonly source: 'saved' | 'session';
  /** A value that changes with the server's settings. */
  readonly revision: string;
}

/** Stores the servers that were connected at run time. */
export interface ServerStore {
  list(): Promise<readonly KeptServer[]>;
}

export interface RegistryParts {
  /** The servers of the configuration. Their aliases take precedence. */
  readonly configured: readonly McpServer[];
  readonly store: ServerStore | null;
  readonly programs: ServerPrograms | null;
  /** The version of aish. */
  readonly version: string;
  readonly log: (alias: string, text: string) => void;
  /** The authorization for servers that require OAuth; null if it is not possible. */
  readonly oauth:
    | ((server: McpServer) => { provider: OAuthClientProvider; authorizeUrl: () => string | null } | null)
    | null;
  readonly retryMinMs?: number;
  readonly retryMaxMs?: number;
  readonly pingEveryMs?: number;
  /** Milliseconds between two checks whether the access of programs has changed. */
  readonly syncEveryMs?: number;
}

/** How long the first request of a process waits for servers that are connecting, in milliseconds. */
const SETTLE_MS = 3_000;
const SYNC_EVERY_MS = 2_000;
/** The interval at which the access of unused programs is checked, so that they lose access that their space lost. */
const LOOK_EVERY_MS = 10_000;

/** The MCP servers of one process, and their tools as one provider. */
export class McpRegistry implements ToolProvider {
  readonly name = 'mcp';
  private readonly links = new Map<string, { readonly link: ServerLink; readonly revision: string }>();
  private readonly listeners = new Set<() => void>();
  private syncing: Promise<void> | null = null;
  private syncedAtMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly parts: RegistryParts) {}

  /** Starts to connect all servers and returns at once, so that no server delays the start of a service. */
  async start(): Promise<void> {
    await this.sync(true);
    const look = () =>
      void this.sync().catch((error: unknown) => this.parts.log('all', `not looked at: ${String(error)}`));
    this.looking = setInterval(look, this.parts.syncEveryMs ?? LOOK_EVERY_MS).unref();
  }

  /** Checks which servers should exist. A second call within two seconds does nothing unless `now` is set. */
  async sync(now = false): Promise<void> {
    if (this.isClosed) return;
    if (!now && performance.now() - this.syncedAtMs < SYNC_EVERY_MS) return;
    if (this.syncing !== null) await this.syncing;
    this.syncing ??= this.syncNow().finally(() => (this.syncing = null));
    await this.syncing;
  }

  status(): readonly McpServerStatus[] {
    return this.all().map((link) => link.status());
  }

  /** @throws AishError `not_found` */
  server(alias: string): ServerLink {
    const found = this.links.get(alias);
    if (found === undefined) throw new AishError('not_found', `There is no MCP server ${alias}`);
    return found.link;
  }

  /** Whether the configuration lets a tool run without asking. The safety gate can still stop it. */
  isAutoApproved(label: string): boolean {
    return this.all().some(({ server }) => {
      if (!label.startsWith(`${server.alias}.`)) return false;
      const { autoApprove } = server;
      if (typeof autoApprove === 'boolean') return autoApprove;
      return autoApprove.some((name) => name === '*' || labelOf(server.alias, name) === label);
    });
  }

  /** The space whose access the server of a tool has; null if it has none, and everyone may use its tools. */
  spaceOf(label: string): string | null {
    const link = this.all().find(({ alias }) => label.startsWith(`${alias}.`));
    return link === undefined ? null : spaceOf(link.server);
  }

  version(): string {
    const links = this.all().map((link) => `${link.alias}.${link.id}.${link.version}`);
    return links.join(',');
  }

  onToolsChanged(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Returns the tools of all servers, sorted by name. Unavailable servers keep their tools. */
  async tools(_context?: ToolContext): Promise<readonly ToolSpec[]> {
    return (await this.listed()).map(({ spec }) => spec);
  }

  /** Returns the tools of all servers with the servers' descriptions. */
  async listed(): Promise<readonly ListedTool[]> {
    await this.sync();
    const links = this.all();
    await Promise.all(links.map((link) => link.settled(SETTLE_MS)));
    const tools = links.flatMap((link) => link.tools);
    return tools.toSorted((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
  }

  /**
   * Returns a tool by its name for people or for models.
   *
   * @throws AishError `not_found`
   */
  async tool(name: string): Promise<ListedTool> {
    const found = (await this.listed()).find(({ spec }) => spec.label === name || spec.name === name);
    if (found === undefined)
      throw new AishError('not_found', `There is no MCP tool ${name}. List the tools with: aish mcp tool`);
    return found;
  }

  /**
   * Makes the call once.
   *
   * @throws AishError of the `mcp_…` codes, `mcp_lost` if nobody knows how the call ended; `aborted`
   */
  async call(
    call: ToolCall,
    _context: ToolContext,
    signal: AbortSignal,
    options: ToolCallOptions = {},
  ): Promise<ToolResult> {
    const link = this.all().find(({ tools }) => tools.some(({ spec }) => spec.name === call.name));
    const listed = link?.tools.find(({ spec }) => spec.name === call.name);
    if (link === undefined || listed === undefined) return refusal(`There is no tool ${call.name}.`);
    const args = readArguments(call.arguments);
    if (args === null) return refusal('The arguments are not a JSON object. Send the call again with valid JSON.');
    const run = (session: McpSession) => session.call(listed.tool, args, signal, options);
    const session = await link.use(signal);
    let result: ToolResult;
    try {
      result = await run(session);
    } catch (error) {
      // The server answered this call by saying that it has forgotten the session, so it did nothing. The call is made
      // once more in a new session.
      if (signal.aborted || !isAishError(error, 'mcp_refused') || !isSessionGone(error.cause)) throw error;
      result = await run(await link.use(signal));
    }
    if (options.taskMaxMs !== undefined) return result;
    return untilEnded(result, (limit) => link.use(limit), signal, options);
  }

  /**
   * Polls a task. Null if its server no longer exists here.
   *
   * @throws AishError like `askAfter` of a task
   */
  async askAfter(pending: PendingTask, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult | null> {
    await this.sync();
    const link = this.linkOf(pending.task);
    return link === null ? null : askAfter(pending, (limit) => link.use(limit), signal, options);
  }

  /**
   * Tells the server that nobody waits for its task any more.
   *
   * @returns true if the server knows, or never will; false if it is unavailable and should be told later.
   */
  async cancelTask(task: ServerTask, signal: AbortSignal): Promise<boolean> {
    await this.sync();
    const link = this.linkOf(task);
    if (link === null) return true;
    if (!link.isConnected) return false;
    try {
      await cancelTask(task, (limit) => link.use(limit), signal);
      return true;
    } catch (error) {
      return !isUnavailable(error);
    }
  }

  /** Returns the server that made the task, and never another server that has its name now. */
  private linkOf({ alias, endpoint }: ServerTask): ServerLink | null {
    const link = this.links.get(alias)?.link;
    return link === undefined || endpointOf(link.server) !== endpoint ? null : link;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.looking);
    await this.syncing;
    await Promise.all(this.all().map((link) => link.close()));
    this.links.clear();
    this.listeners.clear();
  }

  all(): readonly ServerLink[] {
    return [...this.links.values()].map(({ link }) => link).toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
  }

  private async syncNow(): Promise<void> {
    const kept = (await this.parts.store?.list()) ?? [];
    const configured = this.parts.configured.map((server) => ({
      server,
      source: 'configuration' as const,
      revision: 'configuration',
    }));
    const all = await Promise.all([...kept, ...configured].map((entry) => this.withSpaceRevision(entry)));
    this.syncedAtMs = performance.now();
    const wanted = new Map(all.map((entry) => [entry.server.alias, entry]));
    const stale = [...this.links].filter(([alias, { revision }]) => wanted.get(alias)?.revision !== revision);
    for (const [alias] of stale) this.links.delete(alias);
    for (const { server, source, revision } of wanted.values()) this.link(server, source, revision);
    if (stale.length > 0) this.changed();
    await Promise.all(stale.map(([, { link }]) => link.close()));
  }

  /** Restarts a program when the access of its space has changed. */
  private async withSpaceRevision<T extends { readonly server: McpServer; readonly revision: string }>(
    entry: T,
  ): Promise<T> {
    const { server, revision } = entry;
    const { programs } = this.parts;
    if (server.kind !== 'stdio' || programs === null) return entry;
    return { ...entry, revision: `${revision} ${await programs.revisionOf(server)}` };
  }

  private link(server: McpServer, source: McpServerStatus['source'], revision: string): void {
    if (this.links.has(server.alias) || this.isClosed) return;
    const { parts } = this;
    const oauth = parts.oauth?.(server) ?? null;
    const link = new ServerLink(server, source, {
      version: parts.version,
      programs: parts.programs,
      auth: oauth?.provider ?? null,
      authorizeUrl: () => oauth?.authorizeUrl() ?? null,
      retryMinMs: parts.retryMinMs ?? 1_000,
      retryMaxMs: parts.retryMaxMs ?? 60_000,
      pingEveryMs: parts.pingEveryMs ?? 30_000,
      onChange: () => this.changed(),
      log: parts.log,
    });
    this.links.set(server.alias, { link, revision });
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

function spaceOf(server: McpServer): string | null {
  return server.kind === 'stdio' ? server.space : null;
}

function refusal(text: string): ToolResult {
  return { text, isError: true, omittedBytes: 0 };
}

/** Parses the arguments that a model wrote. Empty text means that there are none. */
function readArguments(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
