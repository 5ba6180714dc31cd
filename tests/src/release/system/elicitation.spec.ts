import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnList, type Session } from '@aish/contracts/chat';
import { Decision } from '@aish/contracts/decisions';
import { Problem } from '@aish/contracts/problem-document';
import { NewToken } from '@aish/contracts/tokens';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { aish } from '../../support/aish.command.js';
import { TaskServer } from '@aish/mcp/testing';
import { AskingServer } from '../../support/asking.server.js';
import { ChatClient, bodiesOf, type StreamItem } from '../../support/chat.client.js';
import { closeAll } from '../../support/close-all.js';
import { EverythingServer } from '../../support/everything.server.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { ROOT } from '../../support/service.process.js';

const calling = (name: string) => ({ text: '', toolCalls: [{ name, arguments: '{}' }] });
const WAIT_MS = 4_000;

describe('questions of MCP servers', () => {
  let chats: ChatClient;
  let asking: AskingServer;
  let slow: TaskServer;
  let everything: EverythingServer;

  const paints = calling('new__paint');
  const builds = calling('slow__build');
  const waits = calling('old__trigger-elicitation-request');
  const running = scriptedStack(
    plans({
      'paint goal': plan(paints, 'GOAL: complete\npainted'),
      'asking goal': plan(waits, 'GOAL: complete'),
      'killed goal': plan(waits, 'GOAL: complete'),
      'build goal': plan(builds, 'GOAL: complete\nbuilt'),
      'quick goal': plan('CMD: echo quick', 'GOAL: complete'),
      'build chat': plan(builds, 'It stands.', builds, 'It stands again.'),
      'paint chat': plan(paints, 'It is painted.', paints, 'It is painted again.'),
      'asking chat': plan(waits, 'It knows.'),
    }),
    async () => {
      [asking, everything, slow] = await Promise.all([
        AskingServer.start(),
        EverythingServer.start('streamableHttp'),
        TaskServer.start(),
      ]);
      const servers = {
        new: { url: asking.url, auto_approve: true },
        old: { url: everything.url, auto_approve: true },
        slow: { url: slow.url, auto_approve: true },
      };
      return {
        quickRecovery: true,
        // There is only one slot, so a call that occupied it would block every other goal.
        env: {
          MCP_SERVERS: JSON.stringify(servers),
          ELICITATION_WAIT_MS: String(WAIT_MS),
          WORKER_CONCURRENCY: '1',
        },
      };
    },
  );

  beforeAll(async () => {
    chats = new ChatClient(running.stack.client);
    const probe = await chats.create();
    await eventually('the servers are connected', async () => {
      const response = await running.stack.client.request('GET', `/v1/sessions/${probe.id}/tools`);
      const { items } = (await response.json()) as { items: { label: string }[] };
      return ['new.', 'old.', 'slow.'].every((alias) => items.some(({ label }) => label.startsWith(alias)));
    });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => asking?.stop(),
        () => everything?.stop(),
        () => slow?.stop(),
      ),
    60_000,
  );

  const run = (...args: string[]) =>
    aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args);
  /** Returns the command that docs/mcp.md gives for the decision `reference`, applied to this decision. */
  const documented = (reference: string, { number }: Decision): string[] => {
    const line = readFileSync(`${ROOT}docs/mcp.md`, 'utf8').match(`\\$ aish (decide ${reference} .*)`)?.[1] ?? '';
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    return words.map((word) => (word === reference ? `d${number}` : word));
  };
  const pendingOf = (sessionId: string): Promise<Decision> =>
    eventually('a server asks', async () =>
      (await running.stack.client.pendingDecisions()).find((decision) => decision.sessionId === sessionId),
    );
  const answer = (decision: Decision, body: object) =>
    running.stack.client.request('POST', `/v1/decisions/${decision.id}/verdict`, body);
  const killWorkers = async (): Promise<void> => {
    for (const worker of running.stack.workers) await worker.kill('SIGKILL');
    for (const worker of running.stack.workers) await worker.start();
  };
  const begin = (session: Session, text: string): Promise<readonly StreamItem[]> => chats.exchange(session.id, text);
  const resultsOf = (items: readonly StreamItem[]) =>
    bodiesOf(items, 'action.finished').map(({ result }) => result?.text ?? '');

  it(
    verifies(
      'mcp.elicitation-waits',
      "a server's question in a goal survives a restart of everything, and the command line answers it",
    ),
    async () => {
      const goal = await running.stack.client.createGoal('paint goal');
      const decision = await running.stack.client.decisionOf(goal.id);
      expect(decision).toMatchObject({
        kind: 'elicitation',
        action: 'Which colour?',
        reason: 'new.paint asks',
        request: { properties: { colour: { enum: ['red', 'green'] } }, required: ['colour'] },
      });
      expect((await running.stack.client.goal(goal.id)).state).toBe('halted');
      // No process keeps state, so new processes know nothing of the call.
      for (const service of [...running.stack.workers, running.stack.api]) {
        await service.kill('SIGKILL');
        await service.start();
      }
      const nobody = await running.stack.client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'eye',
        scopes: ['operate'],
      });
      const observer = new ApiClient(running.stack.client.url, nobody.token);
      const forbidden = await observer.request('POST', `/v1/decisions/${decision.id}/verdict`, { verdict: 'skip' });
      expect(forbidden.status).toBe(403);
      // An invalid answer is refused, and the question stays open.
      for (const body of [
        { verdict: 'proceed' },
        { verdict: 'proceed', answer: { colour: 'blue' } },
        { verdict: 'proceed', answer: { colour: ['red'] } },
        { verdict: 'edit', command: 'x' },
        { verdict: 'proceed', answer: { colour: 'red' }, grant: 'command' },
      ]) {
        const refused = await answer(decision, body);
        expect([refused.status, Problem.parse(await refused.json()).code]).toEqual([400, 'invalid_body']);
      }
      const answered = await run(...documented('d18', decision));
      expect(answered).toMatchObject({ code: 0, stdout: expect.stringMatching(/proceed by/) });
      const second = await answer(decision, { verdict: 'skip' });
      expect([second.status, Problem.parse(await second.json()).code]).toEqual([409, 'decision_taken']);
      const done = await running.stack.client.until(goal.id, 'done');
      expect(done).toMatchObject({ state: 'done', summary: 'painted' });
      expect(done.actions).toMatchObject([{ state: 'finished', result: { text: 'accept red' } }]);
      expect(asking.calls).toEqual([{}, { colour: { action: 'accept', content: { colour: 'red' } } }]);
    },
    60_000,
  );

  it(
    verifies(
      'mcp.elicitation-waits',
      "a server's question in a chat is declined after a restart, and another message replaces it",
    ),
    async () => {
      const session = await chats.create();
      // The stream ends with the api, but the exchange continues.
      begin(session, 'paint chat').catch(() => undefined);
      const decision = await pendingOf(session.id);
      expect(decision).toMatchObject({ kind: 'elicitation', goalId: null });
      await running.stack.api.kill('SIGKILL');
      await running.stack.api.start();
      const events = chats.replay(session.id, 0, 'exchange.ended');
      expect(await run(...documented('d19', decision))).toMatchObject({ code: 0 });
      const items = await events;
      expect(resultsOf(items)).toEqual(['decline nothing']);
      expect(bodiesOf(items, 'exchange.ended')).toMatchObject([{ end: 'answered' }]);

      begin(session, 'once more').catch(() => undefined);
      const again = await pendingOf(session.id);
      const next = await begin(session, 'never mind');
      expect(bodiesOf(next, 'exchange.ended').at(-1)).toMatchObject({ end: 'answered' });
      expect(await running.stack.client.json(Decision, 'GET', `/v1/decisions/${again.id}`)).toMatchObject({
        state: 'withdrawn',
      });
      const { items: turns } = await running.stack.client.json(TurnList, 'GET', `/v1/sessions/${session.id}/turns`);
      expect(turns.findLast(({ role }) => role === 'tool')?.content).toMatch(/asked a question that nobody answered/);
    },
    60_000,
  );

  it(
    verifies('mcp.elicitation-open', 'an MCP server of 2025 gets its answer on the open call, in a chat and in a goal'),
    async () => {
      const session = await chats.create();
      const streamed = begin(session, 'asking chat');
      const inChat = await pendingOf(session.id);
      expect(inChat).toMatchObject({ kind: 'elicitation', reason: expect.stringMatching(/kept open/) });
      const taken = await answer(inChat, { verdict: 'proceed', answer: { name: 'Ada' } });
      expect(taken.status).toBe(200);
      const second = await answer(inChat, { verdict: 'abort' });
      expect([second.status, Problem.parse(await second.json()).code]).toEqual([409, 'decision_taken']);
      expect(resultsOf(await streamed)[0]).toMatch(/Name: Ada/);

      const goal = await running.stack.client.createGoal('asking goal');
      const inGoal = await running.stack.client.decisionOf(goal.id);
      expect((await answer(inGoal, { verdict: 'proceed', answer: { name: 'Bob' } })).status).toBe(200);
      const done = await running.stack.client.until(goal.id, 'done');
      expect(done.actions).toMatchObject([{ state: 'finished', result: { text: expect.stringMatching(/Name: Bob/) } }]);
    },
    60_000,
  );

  it(
    verifies(
      'mcp.elicitation-open',
      'an unanswered question is cancelled in time, and a call that is killed before that is lost',
    ),
    async () => {
      const goal = await running.stack.client.createGoal('asking goal');
      const decision = await running.stack.client.decisionOf(goal.id);
      const done = await running.stack.client.until(goal.id, 'done');
      expect(done).toMatchObject({ state: 'done', actions: [{ state: 'finished' }] });
      expect(done.actions[0]?.result?.text).toMatch(/cancelled/);
      const late = await answer(decision, { verdict: 'proceed', answer: { name: 'Eve' } });
      expect([late.status, Problem.parse(await late.json()).code]).toEqual([409, 'decision_taken']);

      const killed = await running.stack.client.createGoal('killed goal');
      const asked = await running.stack.client.decisionOf(killed.id);
      await killWorkers();
      const ended = await running.stack.client.until(killed.id, 'done');
      expect(ended).toMatchObject({ state: 'done', actions: [{ state: 'lost' }] });
      expect(await running.stack.client.json(Decision, 'GET', `/v1/decisions/${asked.id}`)).toMatchObject({
        state: 'withdrawn',
      });
    },
    180_000,
  );

  it(
    verifies(
      'mcp.tasks-waited',
      'a waiting MCP task in a goal frees the slot, survives kills of workers, and can be cancelled',
    ),
    async () => {
      const { client } = running.stack;
      const count = slow.begun.length;
      const goal = await client.createGoal('build goal');
      const taskId = await slow.asked(count);
      const waiting = await client.until(goal.id, 'waiting');
      expect(waiting).toMatchObject({ waitingFor: 'tool', reason: 'slow.build goes on at its server' });
      const [call] = waiting.actions;
      expect(call).toMatchObject({ state: 'started', result: { pending: { task: { alias: 'slow', taskId } } } });

      const quick = await client.createGoal('quick goal');
      await client.until(quick.id, 'done');
      expect((await client.goal(goal.id)).state).toBe('waiting');
      await killWorkers();
      await slow.asked(count);
      slow.say(taskId, 'the roof is on');
      await eventually('its message is on record', async () =>
        (await client.goal(goal.id)).reason?.includes('the roof is on'),
      );

      slow.ask(taskId, 'colour', 'Which colour?');
      const decision = await client.decisionOf(goal.id);
      expect(decision).toMatchObject({ kind: 'elicitation', action: 'Which colour?', reason: 'slow.build asks' });
      await killWorkers();
      expect((await answer(decision, { verdict: 'proceed', answer: { colour: 'red' } })).status).toBe(200);
      await eventually('it has its answer', () => Promise.resolve(slow.answers.length > 0));
      await killWorkers();
      slow.end(taskId, 'it stands');
      const done = await client.until(goal.id, 'done');
      expect(done).toMatchObject({ summary: 'built', actions: [{ state: 'finished', result: { text: 'it stands' } }] });
      expect(slow.begun).toHaveLength(count + 1);
      expect(slow.answers).toContainEqual({ colour: { action: 'accept', content: { colour: 'red' } } });

      const { id } = await client.createGoal('build goal');
      const left = await slow.asked(count + 1);
      await client.until(id, 'waiting');
      expect((await client.request('POST', `/v1/goals/${id}/cancel`)).status).toBe(200);
      await eventually('its server knows', () => Promise.resolve(slow.cancelled.includes(left)));
      await eventually('nothing is left of it', async () => (await client.goal(id)).actions[0]?.result === null);
    },
    180_000,
  );

  it(
    verifies('mcp.tasks-waited', 'a waiting MCP task in a chat survives kill -9 of the api, and can be stopped'),
    async () => {
      const count = slow.begun.length;
      const session = await chats.create();
      begin(session, 'build chat').catch(() => undefined);
      const first = await slow.asked(count);
      await running.stack.api.kill('SIGKILL');
      await running.stack.api.start();
      const events = chats.replay(session.id, 0, 'exchange.ended');
      slow.end(first, 'it stands');
      expect(resultsOf(await events)).toEqual(['it stands']);

      begin(session, 'once more').catch(() => undefined);
      const second = await slow.asked(count + 1);
      const stopped = await running.stack.client.request('POST', `/v1/sessions/${session.id}/stop`);
      expect(stopped.status).toBeLessThan(300);
      await eventually('its server knows', () => Promise.resolve(slow.cancelled.includes(second)));
      expect(slow.begun).toHaveLength(count + 2);
    },
    120_000,
  );
});
