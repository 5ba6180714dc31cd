import http from 'node:http';
import { now } from '../statistics.js';

/** One way to the endpoint: straight, or through somebody. */
export interface Way {
  readonly name: string;
  /** Makes the request of stream `n`. */
  readonly request: (n: number) => Promise<{ url: string; headers: Record<string, string>; body: string }>;
  /** The words in one `data:` document of its stream. */
  readonly wordsOf: (data: string) => string;
}

export interface Measured {
  /** From the request to the first token, milliseconds. */
  readonly firstTokenMs: readonly number[];
  /** How old each later token was when it came, milliseconds. */
  readonly tokenMs: readonly number[];
  readonly tokens: number;
  /** From the first request to the last token. */
  readonly totalMs: number;
}

/** OpenAI's own form. */
export function openAiWords(data: string): string {
  if (data === '[DONE]') return '';
  const { choices } = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] };
  return choices?.[0]?.delta?.content ?? '';
}

/** The form of aish. */
export function aishWords(data: string): string {
  if (!data.startsWith('{"type":"answer.delta"')) return '';
  return (JSON.parse(data) as { text: string }).text;
}

/** Opens so many streams at once, a little apart, and reads all of them to their end. */
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

/** What one stream gave its reader. */
export interface Read {
  readonly firstTokenMs: number;
  /** How old each later token was when it came. */
  readonly tokenMs: readonly number[];
}

/** Sends one request and reads its stream to the end. @throws for any status but 200, and when no token came. */
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
