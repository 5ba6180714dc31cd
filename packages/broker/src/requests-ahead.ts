import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { KEEP_ALIVE_AFTER_MS, requestFor } from './exchange.js';

/** How long a request may wait before it is sent. During this time the endpoint keeps a thread for its connection. */
const WAITS_MS = 1_000;
const AT_ONCE_MAX = 64;

/**
 * Requests to endpoints that are made, with a connection of their own, before what they ask is known: then nothing is
 * left but to send it. One that nobody takes is closed. Plain HTTP alone: what is far enough away for TLS is slower than
 * what this saves.
 */
export class RequestsAhead {
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  /** Begins to connect. One that fails is forgotten: who asks then connects, and says what is wrong. */
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
      request.on('error', () => undefined); // nobody waits for it
      request.destroy();
    };
    const timer = setTimeout(drop, WAITS_MS);
    timer.unref();
    request.on('close', drop).on('error', drop);
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), waiting]);
    this.#count += 1;
  }

  /** The one that has waited longest, which may still be connecting; null when there is none. */
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
  /** Takes it out, alive. */
  readonly leave: () => void;
}

function keyOf(url: string, apiKey: string | null): string {
  return `${url} ${apiKey ?? ''}`;
}
