import type { FastifyReply } from 'fastify';

export interface SseEvent {
  /** What a client sends back as `Last-Event-ID` when it resumes. */
  readonly id?: string;
  readonly event?: string;
  /** Anything JSON can hold; sent as one JSON document. */
  readonly data: unknown;
}

export interface SseOptions {
  /** Silence after which a comment is sent, milliseconds, so that proxies keep the connection. */
  readonly heartbeatMs?: number;
  /** How long a client may leave its data unread before the connection is cut, milliseconds. */
  readonly stallMs?: number;
}

/**
 * Server-sent events over a Fastify reply, which this takes over: the headers go out at once, so check everything that
 * can fail with a status first. Ends by `end()`, or by the client (`closed`).
 */
export class SseStream {
  private readonly closing = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly stallMs: number;
  private draining: Promise<void> | null = null;
  private hasSent = false;

  constructor(
    private readonly reply: FastifyReply,
    { heartbeatMs = 15_000, stallMs = 60_000 }: SseOptions = {},
  ) {
    this.stallMs = stallMs;
    reply.hijack();
    reply.raw.writeHead(200, {
      ...definedHeaders(reply),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would hold events back until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    // With the first events, if they are there already: one packet.
    process.nextTick(() => {
      if (!this.hasSent) reply.raw.flushHeaders();
    });
    reply.raw.socket?.setNoDelay(true);
    this.heartbeat = setInterval(() => this.beat(), heartbeatMs);
    this.heartbeat.unref();
    const onClose = () => {
      clearInterval(this.heartbeat);
      this.closing.abort();
    };
    // An `error` always comes with a `close`; without a listener it would end the process.
    reply.raw.on('error', onClose);
    reply.raw.on('close', onClose);
    if (reply.raw.destroyed) onClose();
  }

  /** Aborted as soon as the connection is gone, by whichever side, `end()` included. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /**
   * Sends one event and resolves when the client is ready for more, so awaiting it honours backpressure. Without
   * awaiting nothing is lost, but memory is then the caller's to bound.
   * @returns false when the client is gone and the event was not sent.
   */
  async send({ id, event, data }: SseEvent): Promise<boolean> {
    if (this.closed.aborted || this.reply.raw.writableEnded) return false;
    // A line break in an id or a name would start another field.
    const head = `${id === undefined ? '' : `id: ${oneLine(id)}\n`}${event === undefined ? '' : `event: ${oneLine(event)}\n`}`;
    this.hasSent = true;
    if (!this.reply.raw.write(`${head}data: ${JSON.stringify(data)}\n\n`)) {
      this.draining ??= this.drained().finally(() => (this.draining = null));
    }
    await this.draining;
    return !this.closed.aborted;
  }

  /** Ends the stream after what was sent. Harmless when it has ended already. */
  end(): void {
    clearInterval(this.heartbeat);
    this.hasSent = true;
    if (!this.reply.raw.writableEnded) this.reply.raw.end();
  }

  private beat(): void {
    // A client that does not read gets no heartbeats on top of what already waits for it.
    if (this.draining === null && !this.reply.raw.writableEnded) this.reply.raw.write(':\n\n');
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => this.reply.raw.destroy(), this.stallMs);
      const done = () => {
        clearTimeout(stalled);
        this.reply.raw.off('drain', done);
        this.closed.removeEventListener('abort', done);
        resolve();
      };
      this.reply.raw.once('drain', done);
      this.closed.addEventListener('abort', done, { once: true });
    });
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ');
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
