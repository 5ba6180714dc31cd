import http from 'node:http';
import { now } from '../statistics.js';

/** One path to the endpoint: direct, or through a relay. */
export interface Way {
  readonly name: string;
  /** Builds the request of stream `n`. */
  readonly request: (n: number) => Promise<{ url: string; headers: Record<string, string>; body: string }>;
  /** Returns the words in one `data:` document of the stream. */
  readonly wordsOf: (data: string) => string;
}

export interface Measured {
  /** The times from the request to the first token, in milliseconds. */
  readonly firstTokenMs: readonly number[];
  /** The ages of later tokens at their arrival, in milliseconds. */
  readonly tokenMs: readonly number[];
  readonly tokens: number;
  /** The time from the first request to the last token. */
  readonly totalMs: number;
}

/** Returns the words of a document in OpenAI's format. */
export function openAiWords(data: string): string {
  if (data === '[DONE]') return '';
  const { choices } = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] };
  return choices?.[0]?.delta?.content ?? '';
}

/** Returns the words of a document in aish's format. */
export function aishWords(data: string): string {
  if (!data.startsWith('{"type":"answer.delta"')) return '';
  return (JSON.parse(data) as { text: string }).text;
}

/** Opens this many streams, slightly staggered, and reads all of them to the end. */
export async function measure(way: Way, streams: number): Promise<Measured> {
  const requests = await Promise.all(Array.from({ length: streams }, (_, n) => way.request(n)));
  const began = now();
  const each = await Promise.all(
    requests.map(async (request, n) => {
      await new Promise((resolve) => setTimeout(resolve, (n * 400) / streams));
      return read(way, request);
    }),
  );
  return {
    firstTokenMs: each.map(({ firstTokenMs }) => firstTokenMs),
    tokenMs: each.flatMap(({ tokenMs }) => tokenMs),
    tokens: each.reduce((sum, { tokenMs }) => sum + tokenMs.length + 1, 0),
    totalMs: now() - began,
  };
}

/** The measurements of one stream. */
export interface Read {
  readonly firstTokenMs: number;
  /** The ages of later tokens at their arrival. */
  readonly tokenMs: readonly number[];
}

/** Sends one request and reads its stream to the end. @throws for any status except 200, and if no token came */
export function read(
  { wordsOf, name }: Pick<Way, 'wordsOf' | 'name'>,
  { url, headers, body }: Awaited<ReturnType<Way['request']>>,
): Promise<Read> {
  return new Promise((resolve, reject) => {
    const sent = now();
    let firstTokenMs = Number.NaN;
    const tokenMs: number[] = [];
    let rest = '';
    let words = '';
    const request = http.request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, agent: false },
      (response) => {
        if (response.statusCode !== 200) {
          response
            .setEncoding('utf8')
            .on('data', (text: string) => reject(new Error(`${name}: ${response.statusCode} ${text}`)));
          return;
        }
        response.socket.setNoDelay(true);
        response.setEncoding('utf8').on('data', (text: string) => {
          const at = now();
          rest += text;
          const lines = rest.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line.startsWith('data: ')) words += wordsOf(line.slice(6));
          const stamps = words.split(' ');
          words = stamps.pop() ?? '';
          for (const stamp of stamps) {
            if (Number.isNaN(firstTokenMs)) firstTokenMs = at - sent;
            else tokenMs.push(at - Number(stamp));
          }
        });
        response.on('end', () =>
          Number.isNaN(firstTokenMs) ? reject(new Error(`${name}: no token came`)) : resolve({ firstTokenMs, tokenMs }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
