import { readFileSync } from 'node:fs';
import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { collectAnswer } from './answer.js';
import { HttpBroker } from './http.broker.js';
import { serverOf, warningsOf, ModelsBody } from './servers.js';
import { servedPreset } from './testing/served-preset.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const never = new AbortController().signal;

type Reply = readonly [status: number, body: string, type?: string];
const stream = (...frames: readonly unknown[]): Reply => [
  200,
  [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  'text/event-stream',
];
const delta = (of: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: of, finish_reason: reason }],
});
const listed = (more: object): Reply => [200, JSON.stringify({ object: 'list', data: [{ id: 'm', ...more }] })];
const usage = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };

/** A server's answers to a normal question, and to one that is too long. */
interface Behaviour {
  readonly name: string;
  /** The source of these answers. */
  readonly source: 'recorded' | 'its docs and reports';
  readonly gets: Readonly<Record<string, Reply>>;
  readonly answer: Reply;
  readonly tooLong: Reply | null;
  readonly means: {
    readonly context: number | null;
    readonly reasoning: string;
    readonly cachedTokens: number | null;
    readonly overflow: { readonly promptTokens: number | null; readonly contextTokens: number | null } | null;
  };
}

const VLLM_TOO_LONG =
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8900 in the messages, 100 in the completion). Please reduce the length of the messages or completion.";
const LM_STUDIO_TOO_LONG = 'The number of tokens to keep from the initial prompt is greater than the context length.';

const SERVERS: readonly Behaviour[] = [
  {
    name: 'llama.cpp',
    source: 'recorded',
    gets: {
      '/v1/models': [200, fixture('models.json')],
      '/props?model=m': [200, '{"default_generation_settings":{"n_ctx":16384},"chat_template":"x"}'],
    },
    answer: [200, fixture('think-stream.sse'), 'text/event-stream'],
    tooLong: [400, fixture('error-context-overflow.json')],
    means: {
      context: 16_384,
      reasoning: 'list',
      cachedTokens: null,
      overflow: { promptTokens: 16_419, contextTokens: 16_384 },
    },
  },
  {
    name: 'vLLM',
    source: 'its docs and reports',
    gets: { '/v1/models': listed({ owned_by: 'vllm', max_model_len: 8_192 }) },
    answer: stream(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning: 'list' }),
      delta({ content: 'CMD: ls' }),
      delta({}, 'stop'),
      { choices: [], usage: { ...usage, prompt_tokens_details: null } },
    ),
    tooLong: [400, JSON.stringify({ error: { message: VLLM_TOO_LONG, type: 'BadRequestError', code: 400 } })],
    means: {
      context: 8_192,
      reasoning: 'list',
      cachedTokens: null,
      overflow: { promptTokens: 8_900, contextTokens: 8_192 },
    },
  },
  {
    name: 'vLLM, an older version',
    source: 'its docs and reports',
    gets: { '/v1/models': listed({ owned_by: 'vllm', max_model_len: 8_192 }) },
    answer: stream(delta({ reasoning_content: 'list' }), delta({ content: 'CMD: ls' }), delta({}, 'stop'), {
      choices: [],
      usage,
    }),
    tooLong: [400, JSON.stringify({ object: 'error', message: VLLM_TOO_LONG, type: 'BadRequestError', code: 400 })],
    means: {
      context: 8_192,
      reasoning: 'list',
      cachedTokens: null,
      overflow: { promptTokens: 8_900, contextTokens: 8_192 },
    },
  },
  {
    name: 'Ollama',
    source: 'its docs and reports',
    gets: {
      '/v1/models': listed({ owned_by: 'library' }),
      '/api/ps': [200, '{"models":[{"name":"m:latest","context_length":4096}]}'],
    },
    answer: stream(
      delta({ role: 'assistant', content: '', reasoning: 'list' }),
      delta({ content: 'CMD: ls' }, 'stop'),
      {
        choices: [],
        usage,
      },
    ),
    // The server drops the beginning of the messages, and answers.
    tooLong: null,
    means: { context: 4_096, reasoning: 'list', cachedTokens: null, overflow: null },
  },
  {
    name: 'LM Studio',
    source: 'its docs and reports',
    gets: {
      '/v1/models': listed({ owned_by: 'organization_owner' }),
      '/api/v0/models': [
        200,
        '{"data":[{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}',
      ],
    },
    answer: stream(delta({ reasoning_content: 'list' }), delta({ content: 'CMD: ls' }), delta({}, 'stop'), {
      choices: [],
      usage,
    }),
    tooLong: [
      200,
      `event: error\ndata: ${JSON.stringify({ error: { message: LM_STUDIO_TOO_LONG }, message: LM_STUDIO_TOO_LONG })}\n\n`,
      'text/event-stream',
    ],
    means: {
      context: 4_096,
      reasoning: 'list',
      cachedTokens: null,
      overflow: { promptTokens: null, contextTokens: null },
    },
  },
  {
    name: 'llama-swap, in front of llama.cpp',
    source: 'its docs and reports',
    gets: { '/v1/models': listed({ owned_by: 'llama-swap' }) },
    answer: [200, fixture('think-stream.sse'), 'text/event-stream'],
    tooLong: [400, fixture('error-context-overflow.json')],
    means: {
      context: null,
      reasoning: 'list',
      cachedTokens: null,
      overflow: { promptTokens: 16_419, contextTokens: 16_384 },
    },
  },
];

async function start({ gets, answer, tooLong }: Behaviour): Promise<Preset> {
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const isChat = request.url === '/v1/chat/completions';
      const reply = isChat ? (body.includes('too long') ? tooLong : answer) : gets[request.url ?? ''];
      const [status, text, type = 'application/json'] = reply ?? [404, '{"error":{"message":"not found"}}'];
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  const served = await servedPreset(server);
  closers.push(served.close);
  return { ...served.preset, model: 'm' };
}

describe.each(SERVERS)('$name ($source)', (server) => {
  const broker = new HttpBroker();
  const ask = (preset: Preset, content: string) =>
    collectAnswer(broker.chat({ preset, messages: [{ role: 'user', content }] }, never));

  it('$name counts as ready, and aish reads its thoughts and its text', async () => {
    const preset = await start(server);
    expect(await broker.models(preset, never)).toMatchObject({ state: 'ready', model: 'm' });
    const answer = await ask(preset, 'list');
    expect(answer.reasoning.trim()).toBe(server.means.reasoning);
    expect(answer).toMatchObject({ finishReason: 'stop', text: expect.stringContaining('CMD: ls') });
  });

  it('$name reports the size of its context, or is known not to report it', async () => {
    const preset = await start(server);
    expect((await broker.capabilities(preset, never)).contextTokens).toBe(server.means.context);
  });

  it('$name reports that messages are too long, or is known to drop their beginning', async () => {
    const { tooLong, means } = server;
    if (tooLong === null) return expect(means.overflow).toBeNull();
    const asked = ask(await start(server), 'too long');
    await expect(asked).rejects.toMatchObject({ code: 'model_context_overflow', facts: means.overflow });
  });
});

describe('warnings about a server', () => {
  const of = (entry: object) => ModelsBody.parse({ data: [{ id: 'm', ...entry }] }).data[0];

  it('a warning says that Ollama drops messages that do not fit', () => {
    expect(warningsOf(of({ owned_by: 'library' }), null)).toMatchObject([{ advice: expect.stringMatching(/OLLAMA_/) }]);
  });

  it.each([
    ['b10276-x', [], 1],
    ['b11551', ['--cache-ram', '4096'], 1],
    ['b10276', ['--cache-ram', '0'], 0],
    ['b10276', ['-cram', '0'], 0],
    ['b11552', [], 0],
    ['b11669-Debian', [], 0],
    ['unknown', [], 0],
    [null, [], 0],
  ] as const)('llama.cpp %s with %p has the right warning about mixed sessions', (build, args, count) => {
    expect(warningsOf(of({ owned_by: 'llamacpp', status: { value: 'loaded', args } }), build)).toHaveLength(count);
  });

  it('an unknown server gets no warning', () => {
    expect([serverOf(of({})), warningsOf(of({}), null), warningsOf(undefined, null)]).toEqual([null, [], []]);
  });
});
