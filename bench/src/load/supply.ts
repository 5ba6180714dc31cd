import type { ApiClient } from '@aish/tests/support/api.client';
import { aishWords, read } from '../relay/streams.js';
import { now } from '../statistics.js';

/** The results of all streams so far. */
export interface Streams {
  /** The number of streams that were read to their end, with all tokens. */
  readonly finished: number;
  readonly tokens: number;
  /** The times from each message to the first word of its answer, and when the message was sent. */
  readonly firstTokens: readonly { readonly at: number; readonly ms: number }[];
  /** The ages of tokens at their arrival. One in a hundred is kept. */
  readonly tokenMs: readonly number[];
  /** The errors, one line each. */
  readonly faults: readonly string[];
}

/** The age of one token in this many is kept, because there are hundreds of thousands. */
const KEPT = 100;

/**
 * Keeps this many chats streaming until `endsAt`. Each reader starts a new chat as soon as its answer ends. Resolves
 * after the last answer.
 */
export async function keepStreaming(
  client: ApiClient,
  { streams, endsAt, tokensEach }: { readonly streams: number; readonly endsAt: number; readonly tokensEach: number },
): Promise<Streams> {
  const all = {
    finished: 0,
    tokens: 0,
    firstTokens: [] as { at: number; ms: number }[],
    tokenMs: [] as number[],
    faults: [] as string[],
  };
  const one = async (n: number): Promise<void> => {
    // The starts are staggered, because people do not begin at the same moment, and so that the streams end at
    // different times.
    await new Promise((resolve) => setTimeout(resolve, (n * STAGGER_MS) / streams));
    for (let chat = 0; now() < endsAt; chat += 1) {
      const at = now();
      try {
        const { firstTokenMs, tokenMs } = await answerOf(client, `stream ${n}, chat ${chat}`);
        all.firstTokens.push({ at, ms: firstTokenMs });
        all.tokenMs.push(...tokenMs.filter((_, index) => index % KEPT === 0));
        all.tokens += tokenMs.length + 1;
        if (tokenMs.length + 1 === tokensEach) all.finished += 1;
        else all.faults.push(`stream ${n}, chat ${chat}: ${tokenMs.length + 1} of ${tokensEach} tokens`);
      } catch (error) {
        all.faults.push(`stream ${n}, chat ${chat}: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 1_000)); // after any failure, the pause avoids a tight loop
      }
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, n) => one(n)));
  return all;
}

const STAGGER_MS = 10_000;

async function answerOf(client: ApiClient, text: string): Promise<Awaited<ReturnType<typeof read>>> {
  const created = await client.request('POST', '/v1/sessions', {});
  if (!created.ok) throw new Error(`a session: ${created.status} ${await created.text()}`);
  const { id } = (await created.json()) as { id: string };
  return read(
    { name: 'aish', wordsOf: aishWords },
    {
      url: `${client.url}/v1/sessions/${id}/messages`,
      headers: { authorization: `Bearer ${client.token}` },
      body: JSON.stringify({ text }),
    },
  );
}
