import { randomUUID } from 'node:crypto';
import type { McpServerState, McpServerStatus } from '@aish/contracts/mcp';
import type { McpServer } from '@aish/contracts/mcp-config';
import { type AishError, AishError as Failure } from '@aish/contracts/problems';
import { cleanText } from './clean-text.js';
import { untilAborted } from './connect.js';
import { toMcpError } from './errors.js';
import { LIMITS } from './limits.js';
import { McpSession, type SessionParts } from './session.js';
import { toolListing, type ToolListing } from './tool-list.js';

export interface LinkParts extends Pick<SessionParts, 'version' | 'programs' | 'auth' | 'pingEveryMs'> {
  /** The pause before the first retry in milliseconds. It doubles up to `retryMaxMs`. */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** Returns the page where a person authorizes aish, if the server requires that. */
  readonly authorizeUrl: () => string | null;
  readonly onChange: () => void;
  /** Writes a sentence to the log of the service. */
  readonly log: (alias: string, text: string) => void;
}

/** The duration of a connection in milliseconds after which the next retry comes soon. */
const STEADY_MS = 30_000;
/** How long a link to an authorization stays valid, in milliseconds. */
const AUTHORIZE_MS = 600_000;
const NOTHING: ToolListing = { tools: [], leftOut: [] };

/** Keeps one server connected as long as it is wanted. */
export class ServerLink {
  /** Distinguishes this link from an earlier link to a server with the same alias. */
  readonly id = randomUUID();
  private session: McpSession | null = null;
  private listing: ToolListing = NOTHING;
  private listings = 0;
  private state: McpServerState = 'connecting';
  private failure: AishError | null = null;
  private nextTryAt: Date | null = null;
  private readonly logLines: string[] = [];
  private readonly closing = new AbortController();
  private wake: () => void = () => undefined;
  private isRetryWanted = false;
  /** Callers that wait for the end of the current or the next attempt. */
  private waiting: (() => void)[] = [];
  private refreshing: Promise<void> | null = null;
  private refreshAgain = false;
  private readonly running: Promise<void>;

  constructor(
    readonly server: McpServer,
    private readonly source: McpServerStatus['source'],
    private readonly parts: LinkParts,
  ) {
    this.running = this.run();
  }

  get alias(): string {
    return this.server.alias;
  }

  /**
   * The server's last known tools. They stay while the server is unavailable, so that the list that a model got stays
   * true.
   */
  get tools(): ToolListing['tools'] {
    return this.listing.tools;
  }

  /** A value that changes with the list of tools. */
  get version(): number {
    return this.listings;
  }

  get isConnected(): boolean {
    return this.session !== null && !this.session.isOver;
  }

  /** Resolves when the current attempt is over, or after `maxMs`. */
  async settled(maxMs: number): Promise<void> {
    if (this.state !== 'connecting') return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxMs)));
    await Promise.race([this.tried(), late]);
    clearTimeout(timer);
  }

  /**
   * Returns the open session. If there is none, it connects now.
   *
   * @throws AishError the error of the attempt; `aborted`
   */
  async use(signal: AbortSignal): Promise<McpSession> {
    if (this.session !== null && !this.session.isOver) return this.session;
    if (this.state !== 'closed' && this.state !== 'unauthorized') {
      const tried = this.tried();
      this.retry();
      try {
        await untilAborted(tried, signal);
      } catch (error) {
        throw new Failure('aborted', 'Cancelled', {}, { cause: error });
      }
    }
    if (this.session !== null && !this.session.isOver) return this.session;
    throw this.failure ?? new Failure('mcp_not_connected', `MCP server ${this.alias} is not connected`);
  }

  /** Retries now, if the link is waiting for a retry. */
  retry(): void {
    this.isRetryWanted = true;
    this.wake();
  }

  status(): McpServerStatus {
    const { server, session } = this;
    const client = session === null || session.isOver ? null : session.client;
    const info = client?.getServerVersion();
    return {
      alias: server.alias,
      kind: server.kind,
      where: server.kind === 'http' ? shownUrl(server.url) : (server.command[0] ?? ''),
      source: this.source,
      state: this.state,
      detail: this.state === 'connected' ? null : (this.failure?.message ?? null),
      // The link is also shown while the server is connected, because a tool may need more than was granted.
      authorizeUrl: this.parts.authorizeUrl(),
      serverName: info === undefined ? null : cleanText(info.name, 200),
      serverVersion: info === undefined ? null : cleanText(info.version, 100),
      protocolVersion: client?.getNegotiatedProtocolVersion() ?? null,
      transport: session?.transport ?? null,
      space: server.kind === 'stdio' ? server.space : null,
      trusted: server.trusted,
      tools: this.listing.tools.length,
      leftOut: [...this.listing.leftOut],
      logLines: [...this.logLines],
      nextTryAt: this.nextTryAt?.toISOString() ?? null,
    };
  }

  /** Ends the link and removes its tools. */
  async close(): Promise<void> {
    this.closing.abort(new Failure('mcp_not_connected', `MCP server ${this.alias} was disconnected`));
    this.wake();
    await this.session?.close(this.closing.signal.reason as AishError);
    await this.running;
  }

  private async run(): Promise<void> {
    let pauseMs = this.parts.retryMinMs;
    while (!this.closing.signal.aborted) {
      this.enter('connecting');
      this.isRetryWanted = false;
      await this.tryOnce();
      for (const resolve of this.waiting.splice(0)) resolve();
      const sinceMs = performance.now();
      if (this.session !== null) {
        await over(this.session);
        this.failure = this.session.over.reason as AishError;
        await this.session.close();
        this.session = null;
      }
      if (this.closing.signal.aborted) break;
      if (performance.now() - sinceMs > STEADY_MS) pauseMs = this.parts.retryMinMs;
      await this.pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, this.parts.retryMaxMs);
    }
    this.listing = NOTHING;
    this.listings += 1;
    for (const resolve of this.waiting.splice(0)) resolve();
    this.enter('closed');
  }

  private async tryOnce(): Promise<void> {
    const { parts, server } = this;
    const signal = this.closing.signal;
    try {
      const session = await McpSession.open(
        server,
        {
          version: parts.version,
          programs: parts.programs,
          auth: parts.auth,
          pingEveryMs: parts.pingEveryMs,
          onToolsChanged: () => this.refresh(),
          onLog: ({ level, text }) => this.note(`${level}: ${text}`),
        },
        signal,
      );
      this.session = session;
      // The link may have been closed when there was no session yet, so nobody else closes this one.
      signal.throwIfAborted();
      await this.list(session);
      this.failure = null;
      this.enter('connected');
      parts.log(this.alias, `connected over ${session.transport ?? 'nothing'}, ${this.tools.length} tools`);
    } catch (error) {
      this.failure = toMcpError(error, this.alias);
      await this.session?.close(this.failure);
      this.session = null;
      if (!signal.aborted) parts.log(this.alias, this.failure.message);
    }
  }

  private async pause(pauseMs: number): Promise<void> {
    // A retry would restart the authorization while a person is in the middle of it.
    const asksPerson = this.failure?.code === 'mcp_unauthorized' && this.parts.authorizeUrl() !== null;
    const waitMs = asksPerson
      ? AUTHORIZE_MS
      : this.failure?.code === 'mcp_unauthorized'
        ? this.parts.retryMaxMs
        : pauseMs;
    this.enter(this.failure?.code === 'mcp_unauthorized' ? 'unauthorized' : 'waiting');
    if (this.isRetryWanted) return;
    this.nextTryAt = new Date(Date.now() + waitMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
    this.nextTryAt = null;
  }

  private tried(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Lists the tools again, with one listing at a time. A change during the listing causes another one. */
  private refresh(): void {
    const { session } = this;
    if (session === null || session.isOver) return;
    if (this.refreshing !== null) {
      this.refreshAgain = true;
      return;
    }
    this.refreshing = this.list(session)
      .then(() => this.parts.onChange())
      .catch((error: unknown) => this.note(`tools/list: ${toMcpError(error, this.alias).message}`))
      .finally(() => {
        this.refreshing = null;
        if (!this.refreshAgain) return;
        this.refreshAgain = false;
        this.refresh();
      });
  }

  private async list(session: McpSession): Promise<void> {
    const tools = await session.tools(AbortSignal.timeout(this.server.callTimeoutMs));
    const listing = toolListing(this.alias, this.server.trusted, tools);
    const isSame = JSON.stringify(listing.tools) === JSON.stringify(this.listing.tools);
    this.listing = listing;
    if (!isSame) this.listings += 1;
  }

  private enter(state: McpServerState): void {
    if (this.state === state) return;
    this.state = state;
    this.parts.onChange();
  }

  private note(line: string): void {
    this.logLines.push(cleanText(line, LIMITS.logChars));
    if (this.logLines.length > LIMITS.logLines) this.logLines.shift();
  }
}

function over(session: McpSession): Promise<void> {
  return new Promise((resolve) => {
    if (session.isOver) resolve();
    session.over.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Returns a URL without user, password and query, which may be secrets. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
