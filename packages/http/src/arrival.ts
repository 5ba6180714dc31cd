import type { IncomingMessage, ServerResponse } from 'node:http';

const TIMERS = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends a request that has not arrived whole in this time. Node's own `requestTimeout` is one for a whole server, and has
 * to be long enough for uploads.
 */
export function expectWhole(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return;
    // As Node says it; the rest of the body would be taken for the next request, so the connection goes.
    if (!response.headersSent) request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.socket.destroySoon();
  }, withinMs);
  timer.unref();
  TIMERS.set(request, timer);
  response.once('close', () => clearTimeout(timer));
}

/** Lets this request take as long as the server lets any: its body is a file. */
export function mayTakeLong(request: IncomingMessage): void {
  clearTimeout(TIMERS.get(request));
}
