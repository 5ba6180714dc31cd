import type { FastifyReply } from 'fastify';

export interface SseEvent {
  /** The value that a client sends back as `Last-Event-ID` when it resumes. */
  readonly id?: string;
  readonly event?: string;
  /** Any JSON value, sent as one JSON document. */
  readonly data: unknown;
}

export interface SseOptions {
  /** Milliseconds of silence after which a comment is sent, so that proxies keep the connection. */
  readonly heartbeatMs?: number;
  /** Milliseconds that a client may leave its data unread before the connection is cut. */
  readonly stallMs?: number;
}

/**
 * Sends server-sent events over a Fastify reply, which this class takes over. The headers are sent at once, so first
 * check everything that can fail with a status. The stream ends with `end()`, or when the client disconnects
 * (`closed`).
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
      // nginx would hold back events until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    // The headers are sent in one packet with the first events, if these exist already.
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
    // A `close` always follows an `error`. Without a listener the error would end the process.
    reply.raw.on('error', onClose);
    reply.raw.on('close', onClose);
    if (reply.raw.destroyed) onClose();
  }

  /** Aborted as soon as the connection is closed by either side, including by `end()`. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /**
   * Sends one event and resolves when the client is ready for more, so awaiting it gives backpressure. Without awaiting
   * nothing is lost, but the caller must then limit the memory.
   *
   * @returns false if the client is gone and the event was not sent.
   */
  async send({ id, event, data }: SseEvent): Promise<boolean> {
    if (this.closed.aborted || this.reply.raw.writableEnded) return false;
    // A line break in an ID or a name would start another field.
    const head = `${id === undefined ? '' : `id: ${oneLine(id)}\n`}${event === undefined ? '' : `event: ${oneLine(event)}\n`}`;
    this.hasSent = true;
    if (!this.reply.raw.write(`${head}data: ${JSON.stringify(data)}\n\n`)) {
      this.draining ??= this.drained().finally(() => (this.draining = null));
    }
    await this.draining;
    return !this.closed.aborted;
  }

  /** Ends the stream after the pending data. It does nothing if the stream has already ended. */
  end(): void {
    clearInterval(this.heartbeat);
    this.hasSent = true;
    if (!this.reply.raw.writableEnded) this.reply.raw.end();
  }

  private beat(): void {
    // A client that does not read gets no heartbeats in addition to the pending data.
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
