import type { FastifyReply } from 'fastify';

/** The file to send. `sizeBytes` is null if it is not known before the end. */
export interface SentFile {
  readonly sizeBytes: number | null;
  readonly body: NodeJS.ReadableStream;
}

/** Streams a file as `mediaType`. Its author may be hostile, so no browser may guess another type and run the file. */
export async function sendFile(reply: FastifyReply, mediaType: string, file: Promise<SentFile>): Promise<void> {
  const { sizeBytes, body } = await file;
  void reply.type(mediaType).header('X-Content-Type-Options', 'nosniff');
  if (sizeBytes !== null) void reply.header('Content-Length', String(sizeBytes));
  await reply.send(body);
}

/**
 * Returns a signal that aborts when the connection closes before the response is sent, because nobody waits for it any
 * more.
 */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
