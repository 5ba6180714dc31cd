import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { KEEP_ALIVE_AFTER_MS, requestFor } from './exchange.js';

/**
 * How long a prepared request waits before it is closed, in milliseconds. During this time the endpoint keeps a thread
 * for its connection.
 */
const WAITS_MS = 1_000;
const AT_ONCE_MAX = 64;

/**
 * Connected requests to endpoints, prepared before their content is known, so that only sending is left. A request that
 * nobody uses is closed. Only plain HTTP is supported, because an endpoint that is far enough away to need TLS takes
 * longer than this saves.
 */
export class RequestsAhead {
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  /** Connects to an endpoint. A failed connection is dropped, and the caller of the next request gets the error. */
  open(url: string, apiKey: string | null): void {
    const { protocol, hostname, port } = new URL(url);
    if (protocol !== 'http:' || this.#count >= AT_ONCE_MAX) return;
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
    });
    const request = requestFor({ url, method: 'POST', hasBody: true, apiKey }, { createConnection: () => socket });
    const key = keyOf(url, apiKey);
    const waiting: Waiting = {
      request,
      leave: () => {
        clearTimeout(timer);
        request.off('close', drop).off('error', drop);
        this.#remove(key, waiting);
      },
    };
    const drop = (): void => {
      waiting.leave();
      request.on('error', () => undefined); // Nobody waits for this request.
      request.destroy();
    };
    const timer = setTimeout(drop, WAITS_MS);
    timer.unref();
    request.on('close', drop).on('error', drop);
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), waiting]);
    this.#count += 1;
  }

  /** Returns the oldest prepared request, which may still be connecting; null if there is none. */
  take(url: string, apiKey: string | null): ClientRequest | null {
    const first = this.#waiting.get(keyOf(url, apiKey))?.find(({ request }) => !request.destroyed);
    first?.leave();
    return first?.request ?? null;
  }

  #remove(key: string, waiting: Waiting): void {
    const left = (this.#waiting.get(key) ?? []).filter((each) => each !== waiting);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
    this.#count -= 1;
  }
}

interface Waiting {
  readonly request: ClientRequest;
  /** Removes the request without closing it. */
  readonly leave: () => void;
}

function keyOf(url: string, apiKey: string | null): string {
  return `${url} ${apiKey ?? ''}`;
}
