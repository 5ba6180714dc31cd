import type { IncomingMessage } from 'node:http';

export interface StreamRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Sends a request whose answer stays open. Not by fetch, which wakes twice a second to look whether the answer has
 * fallen silent; we have a timer of our own for that.
 * @throws the error of the socket, or of the abortion of `signal`; the same while the answer is read.
 */
export async function openStream(
  url: string,
  { method, headers, body }: StreamRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal }, resolve)
      .on('error', reject)
      .end(body ?? undefined);
  });
}
