import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer is out: nobody waits for it any more. */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
