import { z } from 'zod';
import { exactly, startForcingProxy } from '@aish/tests/support/llama/forcing-proxy';
import { startLlamaServer } from '@aish/tests/support/llama/llama-server';
import { plan } from '@aish/tests/support/plan';
import { Stack } from '@aish/tests/support/stack';
import type { Benchmark } from './benchmark.js';

const STEPS = 16;
/** Messages that the seed's window keeps beside the system prompt: it drops the oldest turn with every new one. */
const WINDOW_MESSAGES = 8;
const REQUEST_TIMEOUT_MS = 120_000;

const answerOf = (n: number): string =>
  n === STEPS
    ? 'GOAL: complete\nEverything was counted.'
    : `Step ${n}: I count on and look at what comes out of it.\nCMD: seq ${n}00 ${n}49`;
const SCRIPT = plan(...Array.from({ length: STEPS }, (_, n) => answerOf(n + 1)));

const Messages = z.array(z.looseObject({ role: z.string(), content: z.string() }));
const Body = z.looseObject({ messages: Messages });
const Answer = z.object({ timings: z.object({ cache_n: z.int(), prompt_n: z.int(), prompt_ms: z.number() }) });

/** One step's prompt: how much of it there was, and how much of that the server had to read. */
interface Read {
  readonly prompt: number;
  readonly read: number;
}

/** What a goal costs a real llama-server that has a prompt cache. */
export const benchmark: Benchmark = {
  name: 'prompt-cache',
  about:
    `A goal of ${STEPS} steps on a real llama-server (tiny model, one token is one byte), by the server's own timings: tokens of each ` +
    'prompt, and how many of them it had to read. Beside it the same conversation with a window that slides with every turn, as the first ' +
    `aish had (system prompt and the last ${WINDOW_MESSAGES} messages), on a server of its own: both begin with an empty cache.`,
  goals: {
    cached_of_previous_min_ratio: { op: '>=', value: 0.98 },
    read_against_sliding_ratio: { op: '<=', value: 0.5 },
  },
  async run(progress) {
    const llama = await startLlamaServer({ args: ['-c', '32768'] });
    const other = await startLlamaServer({ args: ['-c', '32768'] });
    const proxy = await startForcingProxy({
      target: llama.url,
      force: (body, n) => {
        const reply = SCRIPT(Body.parse(body).messages.map(toScripted), n);
        if (!('text' in reply) || reply.text === undefined) throw new Error('prompt-cache: the script said nothing');
        return answering(reply.text);
      },
    });
    const stack = await Stack.start({ modelUrl: proxy.url });
    try {
      const { id } = await stack.client.createGoal('count');
      const { steps } = await stack.client.until(id, 'done');
      const ours = steps.map(({ usage }): Read => {
        const { promptTokens = null, cachedTokens = null } = usage ?? {};
        if (promptTokens === null || cachedTokens === null) throw new Error('prompt-cache: no timings');
        return { prompt: promptTokens, read: promptTokens - cachedTokens };
      });
      const sliding: Read[] = [];
      for (const request of proxy.requests.slice(-STEPS)) {
        sliding.push(await askSliding(other.url, Body.parse(request), sliding.length + 1));
      }
      for (const line of tableOf(ours, sliding)) progress(line);
      const total = (all: readonly Read[]): number => all.reduce((sum, { read }) => sum + read, 0);
      const ratios = ours.slice(1).map(({ prompt, read }, n) => (prompt - read) / (ours[n]?.prompt ?? Number.NaN));
      return {
        cached_of_previous_min_ratio: Math.min(...ratios),
        read_tokens: total(ours),
        sliding_read_tokens: total(sliding),
        read_against_sliding_ratio: total(ours) / total(sliding),
        prompt_tokens: ours.reduce((sum, { prompt }) => sum + prompt, 0),
      };
    } finally {
      await stack.stop();
      await proxy.close();
      await llama.stop();
      await other.stop();
    }
  },
};

/** Forces the answer. The tools stay in the prompt; none may be chosen, or the server takes no grammar beside them. */
function answering(text: string): Readonly<Record<string, unknown>> {
  return { ...exactly(text), tool_choice: 'none' };
}

/** The same question through a window that drops its oldest turn with every new one. */
async function askSliding(url: string, body: z.infer<typeof Body>, n: number): Promise<Read> {
  const [system, ...rest] = body.messages;
  if (system === undefined) throw new Error('prompt-cache: a request without messages');
  // A window begins with words to the model.
  const kept = rest.slice(-WINDOW_MESSAGES + 1);
  const messages = [system, ...(kept[0]?.role === 'assistant' ? kept.slice(1) : kept)];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, messages, stream: false, stream_options: undefined, ...answering(answerOf(n)) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`prompt-cache: ${response.status} ${await response.text()}`);
  const { timings } = Answer.parse(await response.json());
  return { prompt: timings.cache_n + timings.prompt_n, read: timings.prompt_n };
}

function tableOf(ours: readonly Read[], sliding: readonly Read[]): readonly string[] {
  const cell = (value: number | string): string => String(value).padStart(8);
  const head = ['step', 'prompt', 'read', 'cached', 'sliding:', 'prompt', 'read', 'cached'].map(cell).join('');
  const share = ({ prompt, read }: Read): string => `${(((prompt - read) / prompt) * 100).toFixed(1)} %`;
  return [
    head,
    ...ours.map((own, n) => {
      const other = sliding[n] ?? { prompt: Number.NaN, read: Number.NaN };
      return [n + 1, own.prompt, own.read, share(own), '', other.prompt, other.read, share(other)].map(cell).join('');
    }),
  ];
}

function toScripted({ role, content }: { role: string; content: string }): { role: string; content: string } {
  return { role, content };
}
