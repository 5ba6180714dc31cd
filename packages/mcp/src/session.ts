import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpServer } from '@aish/contracts/mcp-config';
import { type AishError, AishError as Failure } from '@aish/contracts/problems';
import type { ToolCallOptions, ToolLogLine } from '@aish/contracts/tools';
import {
  ProtocolError,
  SdkHttpError,
  SseError,
  type Client,
  type ElicitRequestParams,
  type ElicitResult,
  type Tool,
} from '@modelcontextprotocol/client';
import { callTool, type CallUnderWay } from './call-tool.js';
import { cleanText } from './clean-text.js';
import { connect, untilAborted, type ConnectParts, type Connection } from './connect.js';
import { isSessionGone, lostCall, toMcpError } from './errors.js';
import { LIMITS } from './limits.js';
import { toElicitResult } from './questions.js';
import { isUnconnected } from './allowed-address.js';

export interface SessionParts extends Pick<ConnectParts, 'version' | 'programs' | 'auth'> {
  readonly onToolsChanged: () => void;
  /** Called with the server's log lines that belong to no call. */
  readonly onLog: (line: ToolLogLine) => void;
  /** Milliseconds between two checks whether the server still answers. */
  readonly pingEveryMs: number;
}

const PING_TIMEOUT_MS = 10_000;
const PINGS_MISSED_MAX = 2;
/** The delay after a first sign that the server may be gone, in milliseconds. */
const AGAIN_AFTER_MS = 1_000;
const RELISTEN_AFTER_MS = 1_000;

/** One connection to one server, from its handshake until it is closed or lost. */
export class McpSession {
  /** Aborts when the session is over. The reason is the AishError that says why. */
  readonly over: AbortSignal;
  private readonly ending = new AbortController();
  private readonly underWay = new Set<CallUnderWay>();
  /** The call to which a message of the server belongs, if its transport answers each call on a separate stream. */
  private readonly current = new AsyncLocalStorage<CallUnderWay>();
  private connection: Connection | null = null;
  private missed = 0;
  private isAlarmed = false;
  private pinging: NodeJS.Timeout | undefined;

  private constructor(
    readonly server: McpServer,
    private readonly parts: SessionParts,
  ) {
    this.over = this.ending.signal;
  }

  /** @throws AishError of the `mcp_…` codes, `sandbox_…` and `engine_…` for a program, `aborted` */
  static async open(server: McpServer, parts: SessionParts, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(server, parts);
    try {
      await session.connect(AbortSignal.any([signal, session.over]));
      return session;
    } catch (error) {
      await session.close();
      throw toMcpError(error, server.alias);
    }
  }

  get client(): Client {
    if (this.connection === null) throw new Failure('mcp_not_connected', `MCP server ${this.server.alias}: closed`);
    return this.connection.client;
  }

  get transport(): Connection['transport'] | null {
    return this.connection?.transport ?? null;
  }

  get isOver(): boolean {
    return this.ending.signal.aborted;
  }

  /** Returns all tools that the server lists. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    const options = { ...this.limited(signal), cacheMode: 'refresh' as const };
    return (await this.ask(() => this.client.listTools(undefined, options), signal)).tools;
  }

  /**
   * Sends a request that is answered at once.
   *
   * @throws AishError of the `mcp_…` codes, `aborted`
   */
  async ask<T>(question: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const limit = AbortSignal.any([signal, this.over]);
    try {
      return await untilAborted(question(this.client), limit);
    } catch (error) {
      throw this.failure(error, signal);
    }
  }

  /** Returns options for the SDK in `ask`, with its limits. */
  limited(signal: AbortSignal): { readonly signal: AbortSignal; readonly timeout: number } {
    return { signal: AbortSignal.any([signal, this.over]), timeout: this.server.callTimeoutMs };
  }

  /**
   * Calls a tool. A refusal is a result with `isError`.
   *
   * @throws AishError of the `mcp_…` codes, `aborted`. `mcp_lost` means that the server may have carried out the call.
   */
  async call(
    tool: Tool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options: ToolCallOptions = {},
  ): ReturnType<typeof callTool> {
    const { client, server } = this;
    const call = { client, tool, args, server, idleMs: server.callTimeoutMs };
    try {
      return await callTool(call, AbortSignal.any([signal, this.over]), options, (underWay, work) => {
        this.underWay.add(underWay);
        return this.current.run(underWay, work).finally(() => this.underWay.delete(underWay));
      });
    } catch (error) {
      const ended: unknown = this.over.aborted ? this.over.reason : null;
      const failure = this.failure(error, signal);
      throw isUnheard(failure, failure === ended) ? lostCall(failure, server.alias) : failure;
    }
  }

  /** Ends the session. Running requests fail with `mcp_not_connected`, or with `reason`. */
  async close(reason?: AishError): Promise<void> {
    clearTimeout(this.pinging);
    this.ending.abort(reason ?? new Failure('mcp_not_connected', `MCP server ${this.server.alias}: closed`));
    const { connection } = this;
    this.connection = null;
    try {
      await connection?.close();
    } catch (error) {
      // The server may be gone already. Nothing in aish depends on the result.
      this.parts.onLog({ level: 'debug', text: `closing: ${cleanText(String(error), 200)}` });
    }
  }

  private async connect(signal: AbortSignal): Promise<void> {
    const { parts, server } = this;
    this.connection = await connect(
      server,
      {
        version: parts.version,
        programs: parts.programs,
        auth: parts.auth,
        onStderr: (text) => parts.onLog({ level: 'info', text: cleanText(text, LIMITS.logChars) }),
        onOverflow: (error) => void this.close(error),
        prepare: (client) => this.prepare(client),
        options: { listChanged: { tools: { autoRefresh: false, onChanged: parts.onToolsChanged } } },
      },
      signal,
    );
    const { client } = this.connection;
    const lost = new Failure('mcp_unreachable', `MCP server ${server.alias}: the connection is lost`, {
      alias: server.alias,
    });
    // The SDK calls these functions. There is no other way to learn about an end, or about a stream that broke off.
    Object.assign(client, {
      onclose: () => void this.close(lost),
      // With HTTP+SSE the stream is the session. The SDK would open another one without a handshake.
      onerror: (error: unknown) => (error instanceof SseError ? void this.close(lost) : this.pingSoon()),
    });
    if (client.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging !== undefined) {
      await client.setLoggingLevel('info', this.limited(signal)).catch(() => undefined);
    }
    this.keepListening(client);
    this.schedulePing();
  }

  private prepare(client: Client): void {
    client.setRequestHandler('elicitation/create', (request, context) =>
      this.elicit(request.params, context.mcpReq.signal),
    );
    client.setNotificationHandler('notifications/message', ({ params }) => {
      const { level, data } = params;
      const text = cleanText(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''), LIMITS.logChars);
      const call = this.current.getStore() ?? this.onlyCall();
      if (call?.options.onLog === undefined) this.parts.onLog({ level, text });
      else call.options.onLog({ level, text });
    });
  }

  /** Asks the question of a server of 2025, which waits for the answer while its request stays open. */
  private async elicit(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const call = this.current.getStore() ?? this.onlyCall();
    // If several calls share a stream, it is unknown whose question this is, and the wrong person must not be asked.
    if (call === undefined) return { action: 'cancel' };
    const gone = AbortSignal.any([signal, call.signal]);
    const answer = await call.deadline.without(() => untilAborted(call.questions.answer(params, gone), gone));
    return toElicitResult(answer ?? { action: 'cancel' }, params);
  }

  private onlyCall(): CallUnderWay | undefined {
    return this.underWay.size === 1 ? [...this.underWay][0] : undefined;
  }

  private failure(error: unknown, signal: AbortSignal): AishError {
    if (signal.aborted) {
      const reason: unknown = signal.reason;
      if (reason instanceof Failure) return reason;
      if (reason instanceof DOMException && reason.name === 'TimeoutError')
        return toMcpError(reason, this.server.alias);
      return new Failure('aborted', 'Cancelled', {}, { cause: error });
    }
    if (this.over.aborted && !(error instanceof SdkHttpError)) return this.over.reason as AishError;
    const failure = toMcpError(error, this.server.alias);
    if (isSessionGone(error)) void this.close(failure);
    return failure;
  }

  /**
   * Keeps a stream open for changes, because servers of 2026 report them on a separate stream, which ends now and then.
   */
  private keepListening(client: Client): void {
    const subscription = client.autoOpenedSubscription;
    if (subscription === undefined) return;
    const filter = subscription.honoredFilter;
    const again = async (): Promise<void> => {
      while (!this.over.aborted) {
        await new Promise((resolve) => setTimeout(resolve, RELISTEN_AFTER_MS).unref());
        try {
          const next = await client.listen(filter, { signal: this.over });
          this.parts.onToolsChanged();
          await next.closed;
        } catch {
          // The pings notice if the server is gone. Until then this is retried.
          continue;
        }
      }
    };
    void subscription.closed.then((how) => (how === 'local' ? undefined : again()));
  }

  private schedulePing(): void {
    if (this.isOver) return;
    const waitMs = this.missed === 0 ? this.parts.pingEveryMs : Math.min(AGAIN_AFTER_MS, this.parts.pingEveryMs);
    clearTimeout(this.pinging);
    this.pinging = setTimeout(() => void this.ping().then(() => this.schedulePing()), waitMs).unref();
  }

  /** Pings soon, because something failed, which may be harmless. */
  private pingSoon(): void {
    if (this.isOver || this.isAlarmed) return;
    this.isAlarmed = true;
    clearTimeout(this.pinging);
    this.pinging = setTimeout(() => {
      this.isAlarmed = false;
      void this.ping().then(() => this.schedulePing());
    }, AGAIN_AFTER_MS).unref();
  }

  private async ping(): Promise<void> {
    const options = { timeout: PING_TIMEOUT_MS, signal: this.over };
    try {
      const { client } = this;
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
      this.missed = 0;
    } catch (error) {
      // A server that refuses is available.
      if (error instanceof ProtocolError) return;
      this.missed += 1;
      if (this.missed >= PINGS_MISSED_MAX || isSessionGone(error))
        await this.close(toMcpError(error, this.server.alias));
    }
  }
}

/** Whether a call failed although its server may have started it, so that nobody knows how it ended. */
function isUnheard({ code, cause }: AishError, isEndOfSession: boolean): boolean {
  // The answer arrived, but it is unusable.
  if (code === 'mcp_bad_answer') return false;
  return isEndOfSession || (code === 'mcp_unreachable' && !isUnconnected(cause));
}
