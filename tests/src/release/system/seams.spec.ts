import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Session, StopResult } from '@aish/contracts/chat';
import type { Decision } from '@aish/contracts/decisions';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { ChatClient, bodiesOf } from '../../support/chat.client.js';
import { closeAll } from '../../support/close-all.js';
import { EverythingServer } from '../../support/everything.server.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans, slowWords } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { freePort } from '../../support/service.process.js';

const calling = (name: string, args: object) => ({ text: '', toolCalls: [{ name, arguments: JSON.stringify(args) }] });

describe('chats, goals, memory, knowledge and MCP together', () => {
  let chats: ChatClient;
  let server: EverythingServer;
  let dir: string;

  const running = scriptedStack(
    plans({
      'all tools': plan(
        calling('kb_query', { text: 'backup' }),
        calling('memory_list', {}),
        calling('memory_write', { scope: 'user', mode: 'append', content: '## State\n- disk: full' }),
        calling('memory_write', { scope: 'user', mode: 'replace', content: '## State\n- disk: empty' }),
        calling('every__echo', { message: 'hello' }),
        'GOAL: complete\nall were called',
      ),
      'gives up': plan(
        'CMD: echo looked',
        'GOAL: blocked nothing there',
        'Because nothing was there.',
        'CMD: echo again',
        'GOAL: complete\nfound',
        'It was found at last.',
      ),
      'halts first': plan('CMD: rm -rf x', 'GOAL: complete'),
      slowly: plan({ text: slowWords(400), delayMs: 20 }),
      zebra: plan('Zebras have stripes.', 'And okapis have some.', 'So they do.'),
      fallback: plan('I am the other one.'),
      'diff --git': plan('fix: a letter'),
    }),
    async () => {
      dir = await mkdtemp(join(tmpdir(), 'aish-seams-'));
      server = await EverythingServer.start('streamableHttp');
      const dead = `http://127.0.0.1:${await freePort()}`;
      return {
        hasSecondApi: true,
        env: {
          KNOWLEDGE_DIR: join(dir, 'kb'),
          MCP_SERVERS: JSON.stringify({ every: { url: server.url, auto_approve: ['echo'] } }),
          PRESETS: JSON.stringify([
            { name: 'away', baseUrl: dead, fallback: 'fast' },
            { name: 'alone', baseUrl: dead },
          ]),
        },
      };
    },
  );

  beforeAll(() => {
    chats = new ChatClient(running.stack.client);
  });

  afterAll(
    () =>
      closeAll(
        () => server?.stop(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const connection = () => ({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') });
  const run = (...args: string[]) => aish(connection(), args);
  const requestsOf = (text: string) =>
    running.model.requests.filter(({ messages }) => messages[1]?.content.includes(text));

  it(
    verifies('goal.memory-and-knowledge'),
    async () => {
      const probe = await chats.create();
      await eventually('the server is connected', async () => {
        const response = await running.stack.client.request('GET', `/v1/sessions/${probe.id}/tools`);
        const { items } = (await response.json()) as { items: { label: string }[] };
        return items.some(({ label }) => label === 'every.echo');
      });
      const goal = await running.stack.client.createGoal('use all tools');
      const asked: Decision = await running.stack.client.decisionOf(goal.id);
      // Reading and the approved tool run without a question, and a write asks.
      expect(asked).toMatchObject({ kind: 'halt', action: expect.stringMatching(/^memory\.write/) });
      await running.stack.client.decide(asked.number, 'proceed');
      // Replacing a document is no worse than appending, because the old text is kept.
      const replacing = await eventually('the next question', async () => {
        const next = await running.stack.client.decisionOf(goal.id);
        return next.id === asked.id ? null : next;
      });
      expect(replacing).toMatchObject({
        reason: 'memory.write is not among the tools that run without a question',
        classification: { verdict: 'unknown' },
      });
      await running.stack.client.decide(replacing.number, 'proceed');
      const done = await running.stack.client.until(goal.id, 'done');
      expect(done.actions.map((action) => [action.kind === 'tool' && action.label, action.result?.isError])).toEqual([
        ['kb.query', false],
        ['memory.list', false],
        ['memory.write', false],
        ['memory.write', false],
        ['every.echo', false],
      ]);
      expect(done.actions[4]?.result?.text).toMatch(/hello/);
      const systems = requestsOf('use all tools').map(({ messages }) => messages[0]?.content ?? '');
      // The documents were empty when the goal began, so the prompt omits them. Their tools still work.
      expect(systems[0]).toMatch(/NORRIS MODE/);
      expect(systems[0]).not.toMatch(/memory_|\[memory\]/);
      // The prompt never changes, although the document did.
      expect(new Set(systems).size).toBe(1);
    },
    60_000,
  );

  it(
    verifies('goal.follow-up'),
    async () => {
      const halted = await running.stack.client.createGoal('halts first');
      const question = await running.stack.client.decisionOf(halted.id);
      // A message to a halted goal waits for its model, and answers no question.
      const sent = await running.stack.client.request('POST', `/v1/sessions/${halted.sessionId}/messages`, {
        text: 'well?',
      });
      expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining('goal.said')]);
      expect((await running.stack.client.goal(halted.id)).state).toBe('halted');
      await running.stack.client.decide(question.number, 'abort');

      const goal = await running.stack.client.createGoal('gives up');
      await running.stack.client.until(goal.id, 'blocked');
      const last = requestsOf('gives up').at(-1);
      const asked = await run('ask', '-g', String(goal.number), 'why?');
      expect(asked).toMatchObject({ code: 0, stdout: 'Because nothing was there.\n' });
      const followUp = requestsOf('gives up').at(-1);
      // The conversation begins with the goal's conversation, which the endpoint has already read.
      expect(followUp?.messages.slice(0, last?.messages.length)).toEqual(last?.messages);
      expect(followUp?.messages.at(-1)?.content).toMatch(/The goal has ended: blocked[\s\S]*why\?$/);
      expect(followUp?.body['tools']).toEqual(last?.body['tools']);
      expect((await running.stack.client.goal(goal.id)).state).toBe('blocked');

      const more = await running.stack.client.request('POST', `/v1/goals/${goal.number}/continue`, { steps: 4 });
      expect(more.status).toBe(200);
      expect(await running.stack.client.until(goal.id, 'done')).toMatchObject({ summary: 'found' });
      const again = await chats.exchange(goal.sessionId, 'and now?');
      expect(bodiesOf(again, 'answer.ended')).toMatchObject([{ text: 'It was found at last.' }]);
      expect(bodiesOf(again, 'message.received')).toMatchObject([{ exchange: 2 }]);
      expect(await running.stack.client.json(Session, 'GET', `/v1/sessions/${goal.sessionId}`)).toMatchObject({
        kind: 'goal',
        state: 'idle',
      });
    },
    60_000,
  );

  it(
    verifies('chat.fallback'),
    async () => {
      const away = await chats.create({ preset: 'away' });
      const items = await chats.exchange(away.id, 'fallback please');
      expect(bodiesOf(items, 'answer.ended')).toMatchObject([
        { text: 'I am the other one.', preset: 'fast', fallbackFrom: 'away' },
      ]);
      expect(items.map(({ body }) => body)).toContainEqual(
        expect.objectContaining({ type: 'answer.retry', reason: expect.stringMatching(/fast answers instead/) }),
      );
      const answered = await run('ask', '--preset', 'away', 'fallback again');
      expect(answered).toMatchObject({ code: 0, stderr: expect.stringMatching(/away cannot answer, so fast does/) });
      const alone = await chats.create({ preset: 'alone' });
      const failed = await chats.exchange(alone.id, 'anybody?');
      expect(bodiesOf(failed, 'answer.ended')).toMatchObject([{ end: 'failed', fallbackFrom: null, text: '' }]);
      expect(bodiesOf(failed, 'exchange.ended')).toMatchObject([
        { end: 'failed', trouble: { code: 'model_unreachable' } },
      ]);
    },
    120_000,
  );

  it(
    verifies('chat.stop-anywhere'),
    async () => {
      const { id } = await chats.create();
      const streamed = chats.exchange(id, 'slowly');
      await eventually('it writes', async () => (await chats.show(id)).state === 'running');
      const stopped = await running.stack.secondClient.json(StopResult, 'POST', `/v1/sessions/${id}/stop`);
      expect(stopped).toMatchObject({ stopped: true, session: { state: 'idle' } });
      expect(bodiesOf(await streamed, 'exchange.ended')).toMatchObject([{ end: 'stopped' }]);
    },
    60_000,
  );

  it(
    verifies('sessions.command-line'),
    async () => {
      const committed = await aish(connection(), ['ask', 'write a message'], 'diff --git a/x b/x\n');
      expect(committed).toMatchObject({ code: 0 });
      expect(running.model.requests.at(-1)?.messages.at(-1)?.content).toBe('write a message\n\ndiff --git a/x b/x');
      const { number, id } = await chats.create();
      expect(await run('ask', '-s', String(number), 'zebra?')).toMatchObject({ stdout: 'Zebras have stripes.\n' });
      await run('ask', '-s', String(number), 'and okapis?');
      expect(await run('rename', `c${number}`, 'striped animals')).toMatchObject({ code: 0 });
      expect((await run('chats', 'okap')).stdout).toMatch(/striped animals\n.*«okapis?»/);
      const fork = /\b(\d+)\b/.exec((await run('chat', 'fork', `c${number}`, '--turn', '2')).stdout)?.[1] ?? '';
      expect(await chats.show(fork)).toMatchObject({ turns: 2, forkedFrom: { sessionId: id, turn: 2 } });
      expect(await run('remove', `c${number}`)).toMatchObject({ code: 0 });
      expect((await running.stack.client.request('GET', `/v1/sessions/${id}`)).status).toBe(404);
      expect((await run('show', `c${number}`)).code).not.toBe(0);
    },
    120_000,
  );
});
