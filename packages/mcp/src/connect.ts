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
import { letTasksThrough } from './task-answers.js';
import { TASKS_EXTENSION } from './tasks.js';
import { ContainerTransport } from './stdio.transport.js';

/** What a connection needs. */
export interface ConnectParts {
  /** Of aish, told to the server. */
  readonly version: string;
  /** Null where no sandbox is: then there are no servers over stdin and stdout. */
  readonly programs: ServerPrograms | null;
  readonly auth: OAuthClientProvider | null;
  readonly onStderr: (text: string) => void;
  /** Called before the handshake: handlers that must be there when the first message comes. */
  readonly prepare: (client: Client) => void;
  readonly options: Pick<ClientOptions, 'listChanged'>;
  /** Told when the server sent more than it may; the connection is of no use then. */
  readonly onOverflow: (error: AishError) => void;
}

export interface Connection {
  readonly client: Client;
  readonly transport: 'streamable' | 'sse' | 'stdio';
  close(): Promise<void>;
}

/** One way to try. */
interface Attempt {
  readonly transport: Connection['transport'];
  readonly mode: VersionNegotiationMode;
  /** Whether it is worth trying after this failure of the one before. */
  readonly after: (failure: unknown) => boolean;
}

/** Connects to a server in the first way that works. @throws what the first way failed with, as the SDK says it. */
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
    // Some programs end at a question that they do not know.
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

/** An old server may never answer a question that it does not know. */
function isSilence(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The answers of a server that speaks HTTP+SSE to a POST that it does not expect (specification, "Backwards compatibility"). */
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
  letTasksThrough(made.transport);
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
    // Looked at before it is closed, which is a reason, too.
    const failure = made.failure();
    // The first error tells more than what closing a broken connection fails with.
    await close().catch(() => undefined);
    if (signal.aborted) throw new AishError('aborted', 'Cancelled', {}, { cause: error });
    throw failure ?? error;
  }
}

interface MadeTransport {
  readonly transport: Transport;
  /** Says goodbye to the server, where there is something to end. */
  readonly end: () => Promise<void>;
  readonly release: () => Promise<void>;
  /** What it knows of its end, when that is more than the SDK says. */
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
    // For as long as the session lasts: the pings find out when it does not.
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
  if (programs === null) throw new AishError('sandbox_unreachable', 'There is no sandbox service to run it in');
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
 * Fails a call whose stream broke off before its answer, when nothing can be resumed. The SDK would wait for that answer
 * until the call times out.
 */
function failBrokenStreams(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) || message.method !== 'tools/call') return send(message, options);
    return new Promise((_, reject) => {
      const broken = () => reject(new SdkError(SdkErrorCode.ConnectionClosed, 'the answer broke off'));
      // A stream ends after its answer, too: by then the SDK has taken the answer, and this failure means nothing to it.
      const onRequestStreamEnd = () => void setImmediate(broken);
      send(message, { ...options, onRequestStreamEnd }).catch(reject);
    });
  };
}
