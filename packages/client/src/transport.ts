import { Readable } from 'node:stream';
import type { Endpoint } from '@aish/contracts/endpoint';
import { z } from 'zod';
import { HttpClient, unreadable, type HttpClientOptions } from './http.client.js';

export interface TransportOptions extends Pick<HttpClientOptions, 'baseUrl' | 'timeoutMs' | 'streamIdleMs'> {
  /**
   * Returns the bearer token. It is read again for each request, because the file may be written after this program has
   * started.
   */
  readonly readToken: () => Promise<string>;
}

/** The api for programs on Node, with a bearer token and with schemas for the responses. */
export class Transport extends HttpClient {
  constructor({ readToken, ...options }: TransportOptions) {
    super({ ...options, openStream, credentials: async () => ({ authorization: `Bearer ${await readToken()}` }) });
  }

  protected override checked({ answer }: Endpoint, data: unknown, path: string): unknown {
    if (!(answer instanceof z.ZodType)) return undefined;
    const parsed = answer.safeParse(data);
    if (parsed.success) return parsed.data;
    throw unreadable(path, parsed.error.issues[0]?.path.join('.'));
  }
}

/**
 * Sends a request with a streamed response. It does not use fetch, which wakes up twice a second to check for silence,
 * because aish has its own timer for that.
 *
 * @throws the error of the socket, or the reason of the signal; also while the response is read.
 */
async function openStream(url: string, { method, headers, body, signal }: RequestInit): Promise<Response> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const options = { method, headers: headers as Readonly<Record<string, string>>, signal: signal ?? undefined };
    request(url, options, (answer) => {
      const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
      resolve(new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, statusText }));
    })
      .on('error', reject)
      .end(body ?? undefined);
  });
}
