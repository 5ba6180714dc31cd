import { AishError } from '@aish/contracts/problems';
import { Agent, fetch as undiciFetch } from 'undici';
import { guardedConnector, type Placed } from './allowed-address.js';
import { LIMITS } from './limits.js';

/** Node's own fetch comes from another version of undici: the same at run time, but with other types. */
type UndiciRequest = Parameters<typeof undiciFetch>[1];

type Fetch = typeof globalThis.fetch;

export interface BoundedFetch {
  readonly fetch: Fetch;
  /** Closes the connections of this fetch. Running requests fail. */
  close(): Promise<void>;
}

export interface BoundedFetchOptions {
  readonly connectTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The only server that may get those headers. They are the server's secrets, so they never go to the authorization
   * server that it names.
   */
  readonly server: Placed;
  /** Called once if a response is larger than allowed. The response also fails. */
  readonly onOverflow: (error: AishError) => void;
  readonly maxMessageBytes?: number;
}

/**
 * Makes a fetch for one server, with its own connections, extra headers and a size limit per message. It has no idle
 * timeout, because a call may wait days for a person, and the caller has a timeout. Node's own fetch gives up after
 * five silent minutes.
 */
export function boundedFetch(options: BoundedFetchOptions): BoundedFetch {
  const { headers: extra, server, onOverflow, maxMessageBytes = LIMITS.messageBytes } = options;
  const { origin } = new URL(server.url);
  const agent = new Agent({
    connect: guardedConnector(server, options.connectTimeoutMs),
    bodyTimeout: 0,
    headersTimeout: 0,
    maxHeaderSize: 32 * 1024,
  });
  const bounded: Fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    if (url.origin === origin) {
      for (const [name, value] of Object.entries(extra)) if (!headers.has(name)) headers.set(name, value);
    }
    const request = { ...init, headers: [...headers], dispatcher: agent };
    const response = (await undiciFetch(url, request as UndiciRequest)) as unknown as Response;
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const overflow = () => {
      const error = new AishError(
        'mcp_bad_answer',
        `A response from ${origin} is larger than ${maxMessageBytes} bytes`,
      );
      onOverflow(error);
      return error;
    };
    const body = response.body.pipeThrough(counting(isStream, maxMessageBytes, overflow));
    return withBody(response, body);
  };
  return { fetch: bounded, close: () => agent.destroy() };
}

/** Returns the same response with another body. A new Response has no url, which the SDK's redirects need. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperties(copy, {
    url: { value: response.url },
    redirected: { value: response.redirected },
  });
}

const LF = 10;

/** Counts the data in a response, or in an event stream between two empty lines. It fails if too much data arrives. */
function counting(
  isStream: boolean,
  maxBytes: number,
  overflow: () => AishError,
): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  let atLineStart = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (isStream) {
        for (const byte of chunk) {
          count += 1;
          if (byte === LF) {
            if (atLineStart) count = 0;
            atLineStart = true;
          } else if (byte !== 13) atLineStart = false;
          if (count > maxBytes) break;
        }
      } else count += chunk.byteLength;
      if (count > maxBytes) controller.error(overflow());
      else controller.enqueue(chunk);
    },
  });
}
