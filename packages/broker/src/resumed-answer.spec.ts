import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Preset } from '@aish/contracts/config/presets.settings';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import { AishError } from '@aish/contracts/problems';
import { collectAnswer } from './answer.js';
import { Asker } from './ask.js';
import type { AnswerStream } from './broker.port.js';
import { CapabilityStore } from './capability.store.js';
import { HttpBroker } from './http.broker.js';
import { TokenCounter } from './token.counter.js';
import { servedPreset } from './testing/served-preset.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const frameOf = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
const messages = [{ role: 'user', content: 'hi' }] as const;

/** Imitates llama-server's named answers. `begun` is the text of the only answer. */
async function endpoint(begun: string | null = null): Promise<{ preset: Preset; asked: string[]; write: () => void }> {
  const asked: string[] = [];
  const open: http.ServerResponse[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    const name = request.headers['x-conversation-id'];
    asked.push(`${request.method} ${request.url}${name === undefined ? '' : ` as ${String(name)}`}`);
    const isChat = request.url === '/v1/chat/completions';
    if (request.method === 'DELETE') return void response.writeHead(204).end();
    if (!isChat && begun === null) return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (!isChat) return void response.end(begun);
    response.write(frameOf('new '));
    open.push(response);
  });
  const served = await servedPreset(server);
  closers.push(served.close);
  const { preset } = served;
  return { preset, asked, write: () => open.forEach((response) => response.end(`${frameOf('words')}${END}`)) };
}

const POST = 'POST /v1/chat/completions as g-3';
const GET = 'GET /v1/stream?conv_id=g-3&from=0';
const DELETE = 'DELETE /v1/stream?conv_id=g-3';

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 800 && !isTrue(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isTrue()).toBe(true);
}

describe('an answer with a conversation ID', () => {
  const broker = new HttpBroker();
  const ask = (preset: Preset, stream: AnswerStream, signal = new AbortController().signal) =>
    broker.chat({ preset, messages, stream }, signal);

  it('an answer that an earlier reader asked for is read from its beginning, and not requested again', async () => {
    const { preset, asked } = await endpoint(`${frameOf('old ')}${frameOf('words')}${END}`);
    const answer = await collectAnswer(ask(preset, { key: 'g-3', resumes: true }));
    expect(answer).toMatchObject({ text: 'old words', finishReason: 'stop' });
    expect(asked).toEqual([GET]);
  });

  it('an answer is requested again if the endpoint does not have it', async () => {
    const { preset, asked, write } = await endpoint();
    const answer = collectAnswer(ask(preset, { key: 'g-3', resumes: true }));
    await until(() => asked.includes(POST));
    write();
    expect(await answer).toMatchObject({ text: 'new words' });
    expect(asked).toEqual([GET, POST]);
  });

  it('an answer with a conversation ID is stopped when its reader leaves or cancels', async () => {
    const { preset, asked } = await endpoint();
    for await (const chunk of ask(preset, { key: 'g-3', resumes: false })) if (chunk.type === 'text') break;
    await until(() => asked.length === 2);
    const cancelled = new AbortController();
    const reading = collectAnswer(ask(preset, { key: 'g-3', resumes: false }, cancelled.signal));
    await until(() => asked.length === 3);
    cancelled.abort();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    await until(() => asked.length === 4);
    expect(asked).toEqual([POST, DELETE, POST, DELETE]);
  });

  it.each(['service_stopping', 'lock_lost'] as const)(
    'a named answer continues for the next reader after %s',
    async (code) => {
      const { preset, asked } = await endpoint();
      const stopping = new AbortController();
      const reading = collectAnswer(ask(preset, { key: 'g-3', resumes: false }, stopping.signal));
      await until(() => asked.length === 1);
      stopping.abort(new AishError(code, 'somebody else goes on'));
      await expect(reading).rejects.toMatchObject({ code: 'aborted' });
      // If something were sent before, this later stop would show it.
      for await (const chunk of ask(preset, { key: 'other', resumes: false })) if (chunk.type === 'text') break;
      await until(() => asked.length === 3);
      expect(asked.filter((each) => each.startsWith('DELETE'))).toEqual(['DELETE /v1/stream?conv_id=other']);
    },
  );
});

describe('a question that an earlier process may have asked', () => {
  async function answerOf(preset: Preset, capabilities: ModelCapabilities): Promise<unknown[]> {
    const broker = new HttpBroker();
    const known = { capabilities: async () => capabilities, identity: async () => null };
    const book = new CapabilityStore(known, { load: async () => null, save: async () => undefined }, () => undefined);
    const asker = new Asker(broker, book, new TokenCounter(broker));
    const request = {
      preset,
      compose: () => ({ messages, tools: [] }),
      stream: { key: 'g-3', resumes: true },
    };
    const seen: unknown[] = [];
    for await (const chunk of asker.ask(request, new AbortController().signal)) {
      if (chunk.type === 'again') seen.push(chunk.note);
      if (chunk.type === 'understood') seen.push(chunk.answer.text);
    }
    return seen;
  }
  const resumable = { ...UNKNOWN_CAPABILITIES, resumable: true };

  it('a question is asked again if the first answer broke off', async () => {
    const { preset, asked, write } = await endpoint(frameOf('old '));
    const seen = answerOf(preset, resumable);
    await until(() => asked.includes(POST));
    write();
    expect(await seen).toEqual(['the previous answer was cut off, so aish asked again', 'new words']);
  });

  it('a question is sent without a conversation ID to an endpoint that cannot resume answers', async () => {
    const { preset, asked, write } = await endpoint();
    const seen = answerOf(preset, UNKNOWN_CAPABILITIES);
    await until(() => asked.length > 0);
    write();
    expect(await seen).toEqual(['new words']);
    expect(asked).toEqual(['POST /v1/chat/completions']);
  });
});
