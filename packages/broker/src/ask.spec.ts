import { readFileSync } from 'node:fs';
import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { Asker, type AskChunk, type Room, type Understood } from './ask.js';
import type { ChatMessage, ToolDefinition } from './broker.port.js';
import { CapabilityStore } from './capability.store.js';
import { HttpBroker } from './http.broker.js';
import { servedPreset } from './testing/served-preset.js';
import { TokenCounter } from './token.counter.js';

interface Failure {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly code: string;
}
const failures = JSON.parse(readFileSync(new URL('fixtures/failures.json', import.meta.url), 'utf8')) as Failure[];
const failure = (name: string): Failure => {
  const found = failures.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no failure ${name}`);
  return found;
};

type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: readonly unknown[];
};
type Reply = Failure | readonly unknown[];

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const text = (content: string): unknown => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const fine = [text('fine'), stop];

/** Starts a real server that answers chat requests in turn, and counts one token for every two characters. */
async function endpoint(replies: readonly Reply[]): Promise<{ preset: Preset; bodies: Body[] }> {
  const bodies: Body[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      if (request.method === 'GET') return void response.writeHead(404).end();
      if (request.url === '/tokenize') {
        const { content } = JSON.parse(body) as { content: string };
        response.end(JSON.stringify({ tokens: Array.from({ length: Math.ceil(content.length / 2) }, () => 1) }));
        return;
      }
      const reply = replies[bodies.length];
      bodies.push(JSON.parse(body) as Body);
      if (reply === undefined) response.writeHead(418).end('asked too often');
      else if (Array.isArray(reply)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const frame of reply as readonly unknown[]) response.write(`data: ${JSON.stringify(frame)}\n\n`);
        response.end('data: [DONE]\n\n');
      } else {
        const { status, body: problem } = reply as Failure;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(problem));
      }
    });
  });
  const { preset, close } = await servedPreset(server);
  closers.push(close);
  return { preset: { ...preset, temperature: 0 }, bodies };
}

const TOOL: ToolDefinition = {
  name: 'note',
  description: 'Notes a word.',
  parameters: { type: 'object', properties: {} },
};
const TURNS: readonly ChatMessage[] = [
  { role: 'system', content: 'You are a shell.' },
  { role: 'user', content: 'note hi' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'note', arguments: '{"word":' }] },
  { role: 'tool', content: 'noted', toolCallId: 'c1', toolName: 'note' },
];

interface Asked {
  readonly answer: Understood;
  readonly chunks: readonly AskChunk[];
  readonly bodies: readonly Body[];
  readonly kept: ModelCapabilities | null;
}

async function ask(
  replies: readonly Reply[],
  {
    capabilities = {},
    compose,
  }: { capabilities?: Partial<ModelCapabilities>; compose?: (room: Room) => readonly ChatMessage[] } = {},
): Promise<Asked> {
  const { preset, bodies } = await endpoint(replies);
  let kept: ModelCapabilities | null = { ...UNKNOWN_CAPABILITIES, ...capabilities };
  const store = {
    load: async () => kept,
    save: async (_url: string, _model: string, next: ModelCapabilities) => void (kept = next),
  };
  const broker = new HttpBroker();
  const book = new CapabilityStore(broker, store, (error) => {
    throw error;
  });
  const asker = new Asker(broker, book, new TokenCounter(broker));
  const chunks: AskChunk[] = [];
  const request = { preset, compose: (room: Room) => ({ messages: compose?.(room) ?? TURNS, tools: [TOOL] }) };
  for await (const chunk of asker.ask(request, AbortSignal.timeout(20_000))) chunks.push(chunk);
  const last = chunks.at(-1);
  if (last?.type !== 'understood') throw new Error('no answer');
  return { answer: last.answer, chunks, bodies, kept };
}

describe('Asker and servers that refuse a field', () => {
  const refusal = (message: string): Reply => ({ name: '', status: 400, body: { error: { message } }, code: '' });

  it.each([
    ['OpenAI', 'Unrecognized request argument supplied: return_progress', ['return_progress']],
    [
      'vLLM',
      "[{'type': 'extra_forbidden', 'loc': ('body', 'cache_prompt'), 'msg': 'Extra inputs are not permitted'}]",
      ['cache_prompt'],
    ],
    ['a strict proxy', 'unknown fields "stream_options" and "cache_prompt"', ['cache_prompt', 'stream_options']],
    ['a thinking model', "Unsupported value: 'temperature' does not support 0 with this model.", ['temperature']],
  ])('the asker omits a field from requests after %s has refused it', async (_, message, fields) => {
    const { answer, bodies, kept } = await ask([refusal(message), fine]);
    expect(answer.text).toBe('fine');
    for (const field of fields) expect(bodies.map((body) => field in body)).toEqual([true, false]);
    expect(kept?.refusedFields).toEqual(fields);
  });

  it('the asker does not repeat a request that was refused for another reason', async () => {
    await expect(ask([refusal('the model is not loaded'), fine])).rejects.toMatchObject({ code: 'model_refused' });
    await expect(ask([refusal('bad top_p'), refusal('bad top_p'), fine])).rejects.toMatchObject({
      code: 'model_refused',
    });
  });
});

const roles = (body: Body | undefined): readonly string[] => body?.messages.map((message) => message.role) ?? [];

describe('Asker and the known failures of llama.cpp setups', () => {
  it.each(failures.filter(({ code }) => code !== 'model_context_overflow'))(
    'the asker works around the known failure of an endpoint: $name',
    async (each) => {
      const { answer, bodies } = await ask([each, ...(each.code === 'model_unparsed' ? [each] : []), fine]);
      if (each.name.endsWith('with the call in it')) {
        expect(answer.toolCalls).toMatchObject([{ name: 'note', arguments: '{"word":"hi"}' }]);
        expect(bodies).toHaveLength(1);
      } else expect(answer).toMatchObject({ text: 'fine', toolCalls: [] });
      expect(answer.notes).not.toEqual([]);
    },
  );

  it.each(failures)('$name has its own error code if no workaround helps', async (each) => {
    const again = Array.from({ length: 12 }, () => ({
      ...each,
      body: JSON.parse(JSON.stringify(each.body).replace(/<tool_call>.*<\/tool_call>/, '')),
    }));
    await expect(ask(again)).rejects.toMatchObject({ code: each.code });
  });

  it('a broken call in the history is sent as JSON that the endpoint can parse', async () => {
    const { bodies } = await ask([fine]);
    expect(bodies[0]?.messages[2]).toMatchObject({
      content: null,
      tool_calls: [{ function: { name: 'note', arguments: '{"unreadable":"{\\"word\\":"}' } }],
    });
  });

  it('tools are described in text once the endpoint refuses them, and calls are read from the text', async () => {
    const call = '<tool_call>{"name": "note", "arguments": {"word": "hi"}}</tool_call>';
    const { answer, bodies, kept } = await ask([
      failure('failed to parse grammar'),
      [text(call.slice(0, 20)), text(call.slice(20)), stop],
    ]);
    expect(bodies[0]?.tools).toHaveLength(1);
    expect(bodies[1]?.tools).toBeUndefined();
    expect(bodies[1]?.messages[0]?.content).toContain('"name":"note"');
    expect(roles(bodies[1])).toEqual(['system', 'user', 'assistant', 'user']);
    expect(bodies[1]?.messages[3]?.content).toBe('[tool: note]\n| noted');
    expect(answer.toolCalls).toMatchObject([{ name: 'note', arguments: '{"word":"hi"}' }]);
    expect(kept).toMatchObject({ nativeTools: false });
  });

  it('a template without the role "tool" gets results as text of the user, also in later requests', async () => {
    const { bodies, kept } = await ask([failure('No user query found in messages'), fine]);
    expect(roles(bodies[1])).toEqual(['system', 'user', 'assistant', 'user']);
    expect(bodies[1]?.tools).toHaveLength(1);
    const next = await ask([fine], { capabilities: kept ?? {} });
    expect(roles(next.bodies[0])).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it('the system text is put into the first user message if the template refuses a system message', async () => {
    const { bodies } = await ask([failure('System message must be at the beginning'), fine]);
    expect(roles(bodies[1])[0]).toBe('user');
    expect(bodies[1]?.messages[0]?.content).toBe('You are a shell.\n\nnote hi');
  });

  it('the asker shortens messages to the window size that the endpoint reports, and remembers the size', async () => {
    const budgets: number[] = [];
    const compose = (room: Room): readonly ChatMessage[] => {
      budgets.push(room.budgetTokens);
      return TURNS;
    };
    const { answer, kept, chunks } = await ask([failure('exceed_context_size_error'), fine], { compose });
    expect(answer.text).toBe('fine');
    expect(Math.min(...budgets)).toBeLessThan(4_096 - 64);
    expect(kept).toMatchObject({ contextTokens: 4_096 });
    expect(chunks.map((chunk) => chunk.type)).toContain('again');
  });

  it('the asker reports a request that was too long once, however often it had to be shortened', async () => {
    const failed = failure('exceed_context_size_error');
    const { answer } = await ask([failed, failed, fine]);
    expect(answer.notes.filter((note) => note.includes('too long'))).toHaveLength(1);
  });

  it('the asker notices that the endpoint silently cut the prompt, and assumes a smaller window from then on', async () => {
    const long = 'word '.repeat(2_000);
    const usage = { choices: [], usage: { prompt_tokens: 900, completion_tokens: 1 } };
    const { answer, kept } = await ask([[text('fine'), stop, usage]], {
      capabilities: { countsTokens: true, charsPerToken: 2, contextTokens: 8_192 },
      compose: () => [{ role: 'user', content: long }],
    });
    expect(answer.notes.join()).toContain('read only 900 of about 50');
    expect(kept?.contextTokens).toBeLessThan(1_000);
  });

  it('the asker separates the text, the reasoning and the tool call of an answer', async () => {
    const delta = (fields: object): unknown => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
    const call = (args: string, more: object = {}): unknown =>
      delta({ tool_calls: [{ index: 0, ...more, function: { ...more, arguments: args } }] });
    const { answer } = await ask([
      [
        delta({ reasoning_content: 'Hm. ' }),
        text('I note it.'),
        call('{"wo', { id: 'x', name: 'note' }),
        delta({ reasoning_content: 'Well.' }),
        call('rd":"hi",}'),
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ],
    ]);
    expect(answer).toMatchObject({
      text: 'I note it.',
      reasoning: 'Hm. Well.',
      toolCalls: [{ id: 'x', name: 'note', arguments: '{"word":"hi"}' }],
      notes: ['repaired the JSON of a tool call'],
    });
  });

  it('the asker recognizes a schema that was repeated as prose', async () => {
    const echo = '{"type":"function","function":{"name":"note","parameters":{"type":"object","properties":{}}}}';
    expect((await ask([[text(echo), stop]])).answer).toMatchObject({ isSchemaEcho: true, toolCalls: [] });
  });

  describe('a model that thinks', () => {
    const thought = (words: string): unknown => ({
      choices: [{ index: 0, delta: { reasoning_content: words }, finish_reason: null }],
    });

    it('the asker recognizes a model that thinks, and from then on reserves room for thoughts beside the answer', async () => {
      const first = await ask([[thought('hm'), ...fine]], { capabilities: { contextTokens: 40_000 } });
      expect([first.bodies[0]?.['max_tokens'], first.kept?.thinks]).toEqual([64, true]);
      const next = await ask([[thought('hm'), ...fine]], { capabilities: { contextTokens: 40_000, thinks: true } });
      expect(next.bodies[0]?.['max_tokens']).toBe(8_192 + 64);
    });

    it('a model is asked again with more room if its first thoughts reach the limit of the answer', async () => {
      const cut = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
      const { bodies, answer } = await ask(
        [
          [thought('hm'), cut],
          [thought('hm'), ...fine],
        ],
        {
          capabilities: { contextTokens: 40_000 },
        },
      );
      expect(bodies.map((body) => body['max_tokens'])).toEqual([64, 8_192 + 64]);
      expect(answer).toMatchObject({ finishReason: 'stop', notes: [expect.stringContaining('space for both')] });
    });

    it('a model is not asked a third time if its thoughts reach the second limit, too', async () => {
      const cut = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
      const { bodies, answer } = await ask(
        [
          [thought('hm'), cut],
          [thought('hm'), cut],
        ],
        {
          capabilities: { contextTokens: 40_000 },
        },
      );
      expect([bodies.length, answer.finishReason]).toEqual([2, 'length']);
    });

    it.each([
      [16_384, 8_192],
      [8_192, 4_096],
      [6_144, 2_048],
      [4_096, 1_024],
    ])(
      'in a window of %d tokens at most %d are reserved for thoughts and answer, so that a prompt fits',
      async (window, most) => {
        const { bodies } = await ask([fine], { capabilities: { contextTokens: window, thinks: true } });
        expect(bodies[0]?.['max_tokens']).toBe(most);
      },
    );

    it('an answer ends at its own limit, however much room is left for thoughts', async () => {
      const endless = Array.from({ length: 200 }, () => text('words and '));
      const { answer } = await ask([[thought('hm'), ...endless, stop]], {
        capabilities: { contextTokens: 40_000, thinks: true },
      });
      expect(answer.finishReason).toBe('length');
      expect(answer.text.length).toBeLessThan(64 * 6 + 20);
    });
  });
});
