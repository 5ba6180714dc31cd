import { slowWords } from '../support/plan.js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SessionList, StopResult, TurnList } from '@aish/contracts/chat';
import { DecisionList } from '@aish/contracts/decisions';
import { NewToken } from '@aish/contracts/tokens';
import { startScriptedModel, type Reply, type ScriptedModel } from '@aish/demo-model';
import { ApiClient } from '../support/api.client.js';
import { ChatClient, bodiesOf, type StreamItem } from '../support/chat.client.js';
import { eventually } from '../support/eventually.js';
import { Stack } from '../support/stack.js';

jest.setTimeout(120_000);

/** The script answers by the last message. A probe gets a call, as from a model with tools. */
const script = (messages: readonly { role: string; content: string }[]): Reply => {
  const last = messages.at(-1)?.content ?? '';
  if (last.startsWith('Call note_word')) {
    return { text: '', toolCalls: [{ name: 'note_word', arguments: '{"word":"ready"}' }] };
  }
  // This is longer than another api waits before it takes over an idle chat.
  if (last.includes('ponder')) return { text: 'Done.', delayMs: 12_000, chunkChars: 100 };
  if (last.includes('slowly')) return { text: slowWords(2_000), delayMs: 20 };
  if (last.includes('[exec] $ echo hello-from-chat')) return { text: 'It printed hello.' };
  if (last.includes('run it')) return { text: 'I will.\nCMD: echo hello-from-chat' };
  if (last.includes('destroy')) return { text: 'CMD: rm -rf notes' };
  return { text: `You said: ${last}` };
};

const text = (items: readonly StreamItem[]): string =>
  items.map(({ body }) => (body.type === 'answer.delta' ? body.text : '')).join('');

describe('chats', () => {
  let model: ScriptedModel;
  let stack: Stack;
  let chat: ChatClient;
  beforeAll(async () => {
    model = await startScriptedModel({ script });
    const settings = { workers: 0, hasSecondApi: true, quickRecovery: true, env: { CONFIRM_READS: 'true' } };
    stack = await Stack.start({ modelUrl: model.url, ...settings });
    chat = new ChatClient(stack.client);
  });
  afterAll(async () => {
    await stack.stop();
    await model.close();
  });

  it('a chat streams an answer as typed events, and the events endpoint returns the same', async () => {
    const { id } = await chat.create();
    const items = await chat.exchange(id, 'hello there');
    const stored = items.filter(({ seq }) => seq !== null);
    expect(stored.map(({ body }) => body.type)).toEqual([
      'message.received',
      'answer.started',
      'answer.ended',
      'exchange.ended',
    ]);
    expect(text(items)).toBe('You said: hello there');
    expect(bodiesOf(items, 'answer.ended')).toMatchObject([
      { text: 'You said: hello there', end: 'whole', preset: 'fast', usage: { completionTokens: 6 } },
    ]);
    const replayed = await chat.replay(id, 0, 'exchange.ended');
    expect(
      replayed
        .filter(({ seq }) => seq !== null)
        .map(({ seq, body }) => [seq, body])
        .slice(1),
    ).toEqual(stored.map(({ seq, body }) => [seq, body]));
    expect(await chat.show(id)).toMatchObject({ title: 'hello there', state: 'idle', turns: 2 });
  });

  it('each request of a chat contains the whole conversation, which grows only at its end', async () => {
    const { id } = await chat.create();
    await chat.exchange(id, 'one');
    await chat.exchange(id, 'two');
    const [before, after] = model.requests.slice(-2).map(({ messages }) => messages);
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(after?.slice(-3).map(({ content }) => content)).toEqual(['one', 'You said: one', 'two']);
  });

  it('a chat refuses a message with a token that has just been revoked', async () => {
    const named = { name: 'talker', scopes: ['operate', 'observe'] };
    const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', named);
    const talker = new ApiClient(stack.client.url, token);
    const { id, number } = await chat.create();
    expect(text(await new ChatClient(talker).exchange(id, 'hello'))).toBe('You said: hello');
    expect((await stack.client.request('DELETE', '/v1/tokens/talker')).status).toBe(200);
    const asked = model.requests.length;
    for (const reference of [id, String(number), randomUUID()]) {
      const refused = await talker.request('POST', `/v1/sessions/${reference}/messages`, { text: 'and again' });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([401, 'unauthorized']);
    }
    expect(await chat.show(id)).toMatchObject({ state: 'idle', turns: 2 });
    expect(model.requests).toHaveLength(asked);
  });

  it('a chat refuses a second message during an answer, and stores a stopped answer as stopped', async () => {
    const { id } = await chat.create();
    const items: StreamItem[] = [];
    let stoppedMs = Number.NaN;
    for await (const item of chat.send(id, 'slowly please')) {
      items.push(item);
      if (item.body.type !== 'answer.delta' || !Number.isNaN(stoppedMs)) continue;
      stoppedMs = 0;
      const second = await stack.client.request('POST', `/v1/sessions/${id}/messages`, { text: 'and this' });
      expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([409, 'busy']);
      const before = performance.now();
      const { stopped, session } = await stack.client.json(StopResult, 'POST', `/v1/sessions/${id}/stop`);
      stoppedMs = performance.now() - before;
      expect([stopped, session.state]).toEqual([true, 'idle']);
    }
    expect(stoppedMs).toBeLessThan(5_000);
    console.log(`stopped after ${stoppedMs.toFixed(0)} ms`);
    expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'stopped', trouble: null }]);
    const { items: turns } = await stack.client.json(TurnList, 'GET', `/v1/sessions/${id}/turns`);
    expect(turns.at(-1)).toMatchObject({
      role: 'assistant',
      end: 'stopped',
      content: expect.stringMatching(/^word\b/),
    });
    await eventually('the model heard that nobody listens', async () => model.requests.at(-1)?.state === 'left');
    expect(text(await chat.exchange(id, 'go on'))).toBe('You said: go on');
  });

  it('an exchange continues if the connection is lost, and the events endpoint returns the rest', async () => {
    const { id } = await chat.create();
    const leave = new AbortController();
    let last = 0;
    await (async () => {
      for await (const { body, seq } of chat.send(id, 'slowly now', leave.signal)) {
        last = seq ?? last;
        if (body.type === 'answer.delta') setTimeout(() => leave.abort(), 200);
      }
    })().catch((error: unknown) => expect(String(error)).toContain('abort'));
    expect((await chat.show(id)).state).toBe('running');
    const lastRequest = model.requests.at(-1);
    expect(lastRequest?.state).toBe('open');
    // A client that connects now gets the beginning of the answer, too.
    const joined = await chat.replay(id, last, 'answer.draft');
    expect(bodiesOf(joined, 'answer.draft')[0]?.text).toMatch(/^word word/);
    await stack.client.json(StopResult, 'POST', `/v1/sessions/${id}/stop`);
    const rest = await chat.replay(id, last, 'exchange.ended');
    expect(bodiesOf(rest, 'answer.ended')[0]?.text).toMatch(/^word word/);
  });

  it('a second api does not take over a chat while its model is silent for a long time', async () => {
    const { id } = await chat.create();
    const items = await chat.exchange(id, 'ponder this');
    const asked = model.requests.filter(({ messages }) => messages.at(-1)?.content === 'ponder this');
    expect(asked).toHaveLength(1);
    expect(bodiesOf(items, 'answer.ended')).toMatchObject([{ end: 'whole', text: 'Done.' }]);
    expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ trouble: null }]);
  });

  it('a chat asks before a command, runs it after approval, and adds its output to the next message', async () => {
    const { id } = await chat.create();
    const running = chat.exchange(id, 'run it');
    const decision = await eventually('a question', async () =>
      (await stack.client.json(DecisionList, 'GET', '/v1/decisions')).items.find(({ sessionId }) => sessionId === id),
    );
    expect(decision).toMatchObject({ kind: 'command', action: 'echo hello-from-chat', goalId: null });
    await stack.client.decide(decision.number, 'proceed');
    const items = await running;
    expect(bodiesOf(items, 'action.finished')).toMatchObject([
      { kind: 'command', outcome: { exitCode: 0, output: 'hello-from-chat\n' } },
    ]);
    expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'answered' }]);
    await chat.exchange(id, 'and now?');
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(
      '[exec] $ echo hello-from-chat\nexit code 0\n| hello-from-chat\n\nand now?',
    );
  });

  it('a chat with auto_continue continues by itself and, without confirmation, asks only about destructive commands', async () => {
    const { id } = await chat.create({ autoContinue: true, confirmCommands: false });
    const items = await chat.exchange(id, 'run it');
    expect(text(items)).toBe('I will.\nCMD: echo hello-from-chatIt printed hello.');
    const running = chat.exchange(id, 'destroy');
    const decision = await eventually('a question', async () =>
      (await stack.client.json(DecisionList, 'GET', '/v1/decisions')).items.find(({ sessionId }) => sessionId === id),
    );
    expect(decision).toMatchObject({
      kind: 'command',
      action: 'rm -rf notes',
      classification: { verdict: 'destructive' },
    });
    await stack.client.decide(decision.number, 'skip', 'keep them');
    expect(bodiesOf(await running, 'action.skipped')).toHaveLength(1);
    const { items: turns } = await stack.client.json(TurnList, 'GET', `/v1/sessions/${id}/turns`);
    expect(turns.map(({ content }) => content)).toContain('[aish] action skipped by user: rm -rf notes\nkeep them');
  });

  it('a chat accepts a message instead of an answer to its question', async () => {
    const { id } = await chat.create();
    const running = chat.exchange(id, 'run it');
    await eventually('a question', async () => (await chat.show(id)).state === 'deciding');
    expect(text(await chat.exchange(id, 'never mind'))).toContain('never mind');
    expect(bodiesOf(await running, 'decision.withdrawn')).toHaveLength(1);
  });

  it('the partial answer of a killed api is kept, and its pending decision can still be answered', async () => {
    const slow = await chat.create();
    const asking = await chat.create();
    const quiet = (work: Promise<unknown>): Promise<unknown> => work.catch(() => 'cut');
    const first = quiet(chat.exchange(slow.id, 'slowly again'));
    const second = quiet(chat.exchange(asking.id, 'run it'));
    await eventually('a question', async () => (await chat.show(asking.id)).state === 'deciding');
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // drafts are written each second
    await stack.api.kill('SIGKILL');
    expect(await Promise.all([first, second])).toEqual(['cut', 'cut']);
    await stack.api.start();
    await eventually('it is noticed', async () => (await chat.show(slow.id)).state === 'idle');
    const { items: turns } = await stack.client.json(TurnList, 'GET', `/v1/sessions/${slow.id}/turns`);
    expect(turns.at(-1)).toMatchObject({
      role: 'assistant',
      end: 'interrupted',
      content: expect.stringMatching(/^word word/),
    });
    const decision = (await stack.client.pendingDecisions()).find(({ sessionId }) => sessionId === asking.id);
    await stack.client.decide(decision?.number ?? 0, 'proceed');
    const rest = await chat.replay(asking.id, 0, 'exchange.ended');
    expect(bodiesOf(rest, 'action.finished')).toMatchObject([{ outcome: { exitCode: 0 } }]);
  });

  it('chats are listed, found, renamed, forked and deleted', async () => {
    const { id, number } = await chat.create();
    await chat.exchange(id, 'a zebra crossed the road');
    await chat.exchange(id, 'and an okapi');
    const found = await stack.client.json(SessionList, 'GET', '/v1/sessions?q=zebr');
    expect(found.items).toMatchObject([{ id, snippet: expect.stringContaining('«zebra»') }]);
    const renamed = await stack.client.request('PATCH', `/v1/sessions/${number}`, { title: 'Animals', preset: 'deep' });
    expect(await renamed.json()).toMatchObject({ title: 'Animals', preset: 'deep' });
    const fork = (await (await stack.client.request('POST', `/v1/sessions/${number}/fork`, { turn: 2 })).json()) as {
      id: string;
    };
    expect(await chat.show(fork.id)).toMatchObject({
      turns: 2,
      preset: 'deep',
      forkedFrom: { sessionId: id, turn: 2 },
    });
    await chat.exchange(fork.id, 'go on from there');
    expect(
      model.requests
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['a zebra crossed the road', 'You said: a zebra crossed the road', 'go on from there']);
    expect((await stack.client.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect((await stack.client.request('GET', `/v1/sessions/${id}`)).status).toBe(404);
  });
});
