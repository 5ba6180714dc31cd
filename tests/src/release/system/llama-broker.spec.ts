import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { HttpBroker, collectAnswer, type ChatChunk, type ChatMessage } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import {
  exactly,
  startForcingProxy,
  type ForcingProxy,
  type ForcingProxyOptions,
} from '../../support/llama/forcing-proxy.js';
import { startLlamaServer, type LlamaServer } from '../../support/llama/llama-server.js';

// The first run installs llama-server.
jest.setTimeout(6 * 60_000);

const HANG_MS = 180_000;
const broker = new HttpBroker();
const never = new AbortController().signal;

const preset = (baseUrl: string, more: Partial<Preset> = {}): Preset => ({
  name: 'fast',
  baseUrl,
  model: null,
  temperature: 0,
  maxTokens: 256,
  apiKey: null,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: HANG_MS,
  totalTimeoutMs: HANG_MS,
  ...more,
});
const ask = (content: string): readonly ChatMessage[] => [
  { role: 'system', content: 'You are a shell.' },
  { role: 'user', content },
];

/**
 * Returns the number of tokens. One byte is one token. A message costs its role and 4 more, and the start of the answer
 * costs 11.
 */
const tokensOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { role, content }) => sum + Buffer.byteLength(content) + role.length + 4, 11);

async function chunksOf(chunks: AsyncIterable<ChatChunk>): Promise<readonly ChatChunk[]> {
  const all: ChatChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

describe('the broker with a real llama-server', () => {
  let server: LlamaServer;
  const proxies: ForcingProxy[] = [];
  beforeAll(async () => {
    server = await startLlamaServer({ layers: 40 });
  });
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  afterAll(async () => {
    await server.stop();
  });
  async function forcing(force: ForcingProxyOptions['force']): Promise<Preset> {
    const proxy = await startForcingProxy({ target: server.url, force });
    proxies.push(proxy);
    return preset(proxy.url);
  }

  it('the broker streams exactly the text that the model writes, and ends once', async () => {
    const texts = ['I look first.\nCMD: ls -la "é✓😀"\n', 'GOAL: complete\nDone.'];
    const to = await forcing(texts.map(exactly));
    for (const text of texts) {
      const chunks = await chunksOf(broker.chat({ preset: to, messages: ask('hi') }, never));
      expect(await collectAnswer(chunks)).toMatchObject({ text, finishReason: 'stop', model: 'tiny', reasoning: '' });
      expect(chunks.filter((chunk) => chunk.type === 'end')).toEqual([chunks.at(-1)]);
      // Words that arrive before one read form one piece, so the number of pieces depends on the load of the machine.
      expect(chunks.filter((chunk) => chunk.type === 'text').length).toBeGreaterThan(1);
    }
  });

  it('the broker assembles a forced tool call', async () => {
    const parameters = { type: 'object', properties: { path: { const: 'a.txt' } }, required: ['path'] };
    const tools = [{ type: 'function', function: { name: 'fs.read_file', parameters } }];
    const to = await forcing([{ tools, tool_choice: 'required', logit_bias: { 259: 35 } }]);
    const answer = await collectAnswer(broker.chat({ preset: to, messages: ask('read it') }, never));
    expect(answer.finishReason).toBe('tool_calls');
    expect(answer.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['fs.read_file', { path: 'a.txt' }],
    ]);
  });

  it('the broker reports how much of the prompt was read, and how much was cached the second time', async () => {
    const messages = ask('x'.repeat(6_000));
    const first = await chunksOf(broker.chat({ preset: preset(server.url), messages, maxTokens: 2 }, never));
    const progress = first.filter((chunk) => chunk.type === 'progress');
    const total = tokensOf(messages);
    expect(progress.length).toBeGreaterThanOrEqual(2);
    expect(progress.at(-1)).toEqual({ type: 'progress', processed: total, total });
    const again = await collectAnswer(broker.chat({ preset: preset(server.url), messages, maxTokens: 2 }, never));
    expect(again.finishReason).toBe('length');
    expect(again.usage).toEqual({
      promptTokens: total,
      cachedTokens: total - 1,
      completionTokens: 2,
      promptMs: expect.any(Number),
      completionMs: expect.any(Number),
    });
  });

  it("the broker reports a prompt that is too long, with the server's numbers", async () => {
    const messages = ask('x'.repeat(17_000));
    const tooLong = broker.chat({ preset: preset(server.url), messages }, never);
    await expect(collectAnswer(tooLong)).rejects.toMatchObject({
      code: 'model_context_overflow',
      facts: { promptTokens: tokensOf(messages), contextTokens: 16_384 },
    });
  });

  it('the broker reports a refused request with its reason', async () => {
    const to = await forcing([{ grammar: 'root ::= (' }]);
    await expect(collectAnswer(broker.chat({ preset: to, messages: ask('hi') }, never))).rejects.toMatchObject({
      code: 'model_grammar',
      facts: { message: expect.stringContaining('grammar') },
    });
  });

  it('an aborted request frees the slot, both while the model writes and while it reads', async () => {
    const isBusy = async (): Promise<boolean> =>
      (await (await fetch(`${server.url}/slots`)).text()).includes('"is_processing":true');
    const endless = await forcing(() => ({ ignore_eos: true }));
    const cases = [
      { messages: ask('write'), until: 'text' },
      { messages: ask('y'.repeat(16_000)), until: 'progress' },
    ];
    for (const { messages, until } of cases) {
      const abort = new AbortController();
      const request = { preset: endless, messages, maxTokens: 15_000 };
      let wasBusy = false;
      const leave = async (): Promise<void> => {
        for await (const chunk of broker.chat(request, abort.signal)) {
          if (chunk.type !== until || wasBusy) continue;
          wasBusy = await isBusy();
          abort.abort();
        }
      };
      await expect(leave()).rejects.toMatchObject({ code: 'aborted' });
      expect(wasBusy).toBe(true);
      // Undisturbed, the model would write for about 25 s, and longer on a busy machine.
      const deadline = Date.now() + 60_000;
      while ((await isBusy()) && Date.now() < deadline) await sleep(20);
      expect(await isBusy()).toBe(false);
    }
  }, 240_000);

  it('a request that waits for its turn without data is not cut off by the idle timeout', async () => {
    const busy = await forcing(() => ({ ignore_eos: true }));
    const long = broker.chat({ preset: busy, messages: ask('write'), maxTokens: 1_500 }, never);
    const reading = long[Symbol.asyncIterator]();
    await reading.next();
    const first = (async () => {
      while ((await reading.next()).done !== true);
    })();
    const queued = preset(server.url, { idleTimeoutMs: 500 });
    const answer = await collectAnswer(broker.chat({ preset: queued, messages: ask('hi'), maxTokens: 1 }, never));
    expect(answer.text).toHaveLength(1);
    await first;
  });

  it('the broker describes the endpoint', async () => {
    expect(await broker.models(preset(server.url), never)).toMatchObject({
      model: 'tiny',
      state: 'ready',
      demo: false,
    });
  });
});

describe('the broker with a llama-server that is starting', () => {
  it('the broker retries until the server listens and has loaded its model', async () => {
    const server = await startLlamaServer({
      layers: 40,
      args: ['-c', '32768'],
      grammar: 'root ::= "ready"',
      until: 'started',
    });
    try {
      const patient = new HttpBroker({ retry: { attempts: 10_000, minDelayMs: 5, maxDelayMs: 10 } });
      const chunks = await chunksOf(patient.chat({ preset: preset(server.url), messages: ask('hi') }, never));
      expect(chunks.map((chunk) => (chunk.type === 'retry' ? chunk.reason : ''))).toContain('loading');
      expect(await collectAnswer(chunks)).toMatchObject({ text: 'ready', finishReason: 'stop' });
    } finally {
      await server.stop();
    }
    expect(await broker.models(preset(server.url), never)).toMatchObject({ state: 'unreachable' });
  });

  it('the broker separates reasoning from text', async () => {
    const server = await startLlamaServer({ template: 'think' });
    const proxy = await startForcingProxy({
      target: server.url,
      force: [exactly('<think>\nlist\n</think>\n\nCMD: ls\n')],
    });
    try {
      const answer = await collectAnswer(broker.chat({ preset: preset(proxy.url), messages: ask('hi') }, never));
      expect(answer).toMatchObject({ reasoning: 'list\n', text: 'CMD: ls\n' });
    } finally {
      await proxy.close();
      await server.stop();
    }
  });
});
