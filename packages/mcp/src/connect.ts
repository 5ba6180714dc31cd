import type { McpHttpServer, McpServer, McpStdioServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import {
  Client,
  SSEClientTransport,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type ClientOptions,
  type OAuthClientProvider,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.js';
import { LIMITS } from './limits.js';
import type { ServerPrograms } from './space-programs.js';
import { passTaskAnswers } from './task-answers.js';
import { TASKS_EXTENSION } from './tasks.js';
import { ContainerTransport } from './stdio.transport.js';

/** The values and callbacks that a connection needs. */
export interface ConnectParts {
  /** The version of aish, sent to the server. */
  readonly version: string;
  /** The programs of servers over stdin and stdout; null without a sandbox, which they need. */
  readonly programs: ServerPrograms | null;
  readonly auth: OAuthClientProvider | null;
  readonly onStderr: (text: string) => void;
  /** Called before the handshake, for handlers that must exist when the first message arrives. */
  readonly prepare: (client: Client) => void;
  readonly options: Pick<ClientOptions, 'listChanged'>;
  /** Called when the server sent more than allowed. The connection is then useless. */
  readonly onOverflow: (error: AishError) => void;
}

export interface Connection {
  readonly client: Client;
  readonly transport: 'streamable' | 'sse' | 'stdio';
  close(): Promise<void>;
}

/** One way to connect. */
interface Attempt {
  readonly transport: Connection['transport'];
  readonly mode: VersionNegotiationMode;
  /** Whether to try this attempt after the previous one failed with this error. */
  readonly after: (failure: unknown) => boolean;
}

/**
 * Connects to a server in the first way that works.
 *
 * @throws the error of the first way, as the SDK reports it.
 */
export async function connect(server: McpServer, parts: ConnectParts, signal: AbortSignal): Promise<Connection> {
  let first: { readonly error: unknown } | null = null;
  let last: unknown = null;
  for (const attempt of attemptsOf(server)) {
    if (first !== null && !attempt.after(last)) continue;
    try {
      return await tryOne(server, attempt, parts, signal);
    } catch (error) {
      first ??= { error };
      last = error;
      if (signal.aborted) break;
    }
  }
  throw first?.error;
}

function attemptsOf(server: McpServer): readonly Attempt[] {
  const mode: VersionNegotiationMode =
    server.protocol === 'auto' ? 'auto' : server.protocol === '2025' ? 'legacy' : { pin: server.protocol };
  const first = { mode, after: () => true };
  if (server.kind === 'stdio') {
    // Some programs end when they get an unknown request, so they are started once more.
    const again = { transport: 'stdio', mode: 'legacy', after: () => mode === 'auto' } as const;
    return [{ ...first, transport: 'stdio' }, again];
  }
  const streamable: readonly Attempt[] = [
    { ...first, transport: 'streamable' },
    { transport: 'streamable', mode: 'legacy', after: (error) => mode === 'auto' && isSilence(error) },
  ];
  const sse: Attempt = { transport: 'sse', mode: 'legacy', after: isOtherTransport };
  if (server.transport === 'sse') return [{ ...sse, after: () => true }];
  return server.transport === 'streamable' || typeof mode === 'object' ? streamable : [...streamable, sse];
}

/** Whether an error means silence, because an old server may never answer an unknown request. */
function isSilence(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/**
 * Whether an error is the usual answer of a server with HTTP+SSE to an unexpected POST (specification, "Backwards
 * compatibility").
 */
function isOtherTransport(error: unknown): boolean {
  return (
    error instanceof SdkHttpError &&
    error.status >= 400 &&
    error.status < 500 &&
    ![401, 403, 429].includes(error.status)
  );
}

async function tryOne(
  server: McpServer,
  attempt: Attempt,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Connection> {
  const client = new Client(
    { name: 'aish', version: parts.version },
    {
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { [TASKS_EXTENSION]: {} } },
      versionNegotiation: { mode: attempt.mode, probe: { timeoutMs: server.connectTimeoutMs } },
      inputRequired: { autoFulfill: false },
      listMaxPages: LIMITS.pages,
      ...parts.options,
    },
  );
  parts.prepare(client);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(server.connectTimeoutMs * 2)]);
  const made = server.kind === 'http' ? httpTransport(server, attempt, parts) : stdioTransport(server, parts, limit);
  passTaskAnswers(made.transport);
  const close = async (): Promise<void> => {
    try {
      await made.end();
      await client.close();
    } finally {
      await made.release();
    }
  };
  try {
    await untilAborted(client.connect(made.transport, { timeout: server.connectTimeoutMs, signal: limit }), limit);
    return { client, transport: attempt.transport, close };
  } catch (error) {
    // The failure is read before closing, because closing is also recorded as a failure.
    const failure = made.failure();
    // The first error is more useful than the error from closing a broken connection.
    await close().catch(() => undefined);
    if (signal.aborted) throw new AishError('aborted', 'Cancelled', {}, { cause: error });
    throw failure ?? error;
  }
}

interface MadeTransport {
  readonly transport: Transport;
  /** Ends the session on the server, if there is one. */
  readonly end: () => Promise<void>;
  readonly release: () => Promise<void>;
  /** Returns why the connection ended, if this is more specific than the SDK's error. */
  readonly failure: () => AishError | null;
}

const GOODBYE_TIMEOUT_MS = 2_000;

function httpTransport(server: McpHttpServer, attempt: Attempt, parts: ConnectParts): MadeTransport {
  const url = new URL(server.url);
  const bounded = boundedFetch({
    connectTimeoutMs: server.connectTimeoutMs,
    headers: server.headers,
    server,
    onOverflow: parts.onOverflow,
  });
  const { bearerToken } = server;
  const bearer: AuthProvider | null = bearerToken === null ? null : { token: () => Promise.resolve(bearerToken) };
  const auth = bearer ?? parts.auth;
  const options = { fetch: bounded.fetch, ...(auth === null ? {} : { authProvider: auth }) };
  if (attempt.transport === 'sse') {
    const transport = new SSEClientTransport(url, options);
    return { transport, end: () => Promise.resolve(), release: () => bounded.close(), failure: () => null };
  }
  const transport = new StreamableHTTPClientTransport(url, {
    ...options,
    // The transport reconnects as long as the session lasts. The pings notice the session's end.
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 1_000_000,
    },
  });
  failBrokenStreams(transport);
  const end = async (): Promise<void> => {
    if (transport.sessionId === undefined) return;
    const goodbye = transport.terminateSession().catch(() => undefined);
    await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, GOODBYE_TIMEOUT_MS).unref())]);
  };
  return { transport, end, release: () => bounded.close(), failure: () => null };
}

function stdioTransport(server: McpStdioServer, parts: ConnectParts, signal: AbortSignal): MadeTransport {
  const { programs } = parts;
  if (programs === null) throw new AishError('sandbox_unreachable', 'There is no sandbox service to run the program');
  const transport = new ContainerTransport((handlers) => programs.start(server, handlers, signal), parts.onStderr);
  const nothing = () => Promise.resolve();
  return { transport, end: nothing, release: () => transport.close(), failure: () => transport.failure };
}

/** Rejects when the signal aborts. The promise may still settle later. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Fails a call whose stream ended before its answer, if nothing can be resumed. The SDK would wait for that answer
 * until the call times out.
 */
function failBrokenStreams(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) || message.method !== 'tools/call') return send(message, options);
    return new Promise((_, reject) => {
      const broken = () => reject(new SdkError(SdkErrorCode.ConnectionClosed, 'the answer ended too early'));
      // A stream also ends after its answer. The SDK has then processed the answer, and ignores this failure.
      const onRequestStreamEnd = () => void setImmediate(broken);
      send(message, { ...options, onRequestStreamEnd }).catch(reject);
    });
  };
}
