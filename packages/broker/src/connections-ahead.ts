import { connect, type Socket } from 'node:net';
import { KEEP_ALIVE_AFTER_MS } from './exchange.js';

/** How long a connection waits for its request; the endpoint keeps a thread for it meanwhile. */
const WAITS_MS = 1_000;
const AT_ONCE_MAX = 64;

/**
 * Connections to endpoints that stand before the request that will use them, so that it waits for no handshake. Each
 * serves one request; one that nobody takes is closed. Plain HTTP alone: what is far enough away for TLS is slower than
 * what this saves.
 */
export class ConnectionsAhead {
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  /** Begins to connect. One that fails is forgotten: the request connects by itself, and says what is wrong. */
  open(url: URL): void {
    if (url.protocol !== 'http:' || this.#count >= AT_ONCE_MAX) return;
    const socket = connect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
    });
    const waiting: Waiting = {
      socket,
      leave: () => {
        clearTimeout(timer);
        socket.off('close', drop).off('error', drop);
        this.#remove(url.origin, waiting);
      },
    };
    const drop = (): void => {
      waiting.leave();
      socket.on('error', () => undefined); // nobody waits for it
      socket.destroy();
    };
    const timer = setTimeout(drop, WAITS_MS);
    timer.unref();
    socket.on('close', drop).on('error', drop);
    this.#waiting.set(url.origin, [...(this.#waiting.get(url.origin) ?? []), waiting]);
    this.#count += 1;
  }

  /** The one that has waited longest, which may still be connecting; null when there is none. */
  take(url: URL): Socket | null {
    const first = this.#waiting.get(url.origin)?.find(({ socket }) => !socket.destroyed);
    first?.leave();
    return first?.socket ?? null;
  }

  #remove(origin: string, waiting: Waiting): void {
    const left = (this.#waiting.get(origin) ?? []).filter((each) => each !== waiting);
    if (left.length === 0) this.#waiting.delete(origin);
    else this.#waiting.set(origin, left);
    this.#count -= 1;
  }
}

interface Waiting {
  readonly socket: Socket;
  /** Takes it out, alive. */
  readonly leave: () => void;
}
