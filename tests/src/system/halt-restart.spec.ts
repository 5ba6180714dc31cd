import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NewToken } from '@aish/contracts/tokens';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { ApiClient } from '../support/api.client.js';
import { ChatClient, bodiesOf } from '../support/chat.client.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { startMortalPostgres, type MortalPostgres } from '../support/mortal.postgres.js';
import { plan, plans } from '../support/plan.js';
import { Stack } from '../support/stack.js';

/** This is only a limit against hangs, because it takes about a second. */
const HANG_MS = 30_000;

describe('a HALT during restarts', () => {
  let model: ScriptedModel;
  let postgres: MortalPostgres;
  let stack: Stack;

  beforeAll(async () => {
    model = await startScriptedModel({
      script: plans({
        halting: plan('CMD: touch keep', 'CMD: rm -rf keep', 'CMD: ls', 'GOAL: complete'),
        'do that': plan('GOAL: ask Which one?', 'GOAL: complete\nThe disk is checked.'),
        'my disk': plan('Noted.', 'So it is.'),
        counting: plan('CMD: echo ran >> log; sleep 4; wc -l < log', 'GOAL: complete'),
        asking: plan('I cannot know.\nGOAL: ask Which disk?', 'CMD: echo asked', 'GOAL: complete'),
      }),
    });
    postgres = await startMortalPostgres();
    stack = await Stack.start({
      modelUrl: model.url,
      workers: 2,
      quickRecovery: true,
      database: { url: postgres.url, drop: () => postgres.drop() },
    });
  }, 180_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop() ?? postgres?.drop(),
        () => model?.close(),
      ),
    60_000,
  );

  it(
    verifies('api.database-away'),
    async () => {
      await postgres.kill();
      const away = await stack.client.request('GET', '/v1/goals');
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await away.json()).toMatchObject({ code: 'database_unreachable' });
      await postgres.start();
      await eventually('the api answers again', async () => {
        const { status } = await stack.client.request('GET', '/v1/goals');
        return status === 200;
      });
      expect(stack.services.map(({ name, isRunning }) => [name, isRunning])).toEqual(
        stack.services.map(({ name }) => [name, true]),
      );
    },
    120_000,
  );

  it(
    verifies(
      'goal.survives-kill',
      'the result of a command is recorded even if Postgres is killed in the middle of the command',
    ),
    async () => {
      const { id } = await stack.client.createGoal('counting');
      await eventually('the command runs', () => stack.client.firstCommandRuns(id));
      await postgres.kill();
      await postgres.start();
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.output])).toEqual([['finished', '1\n']]);
    },
    120_000,
  );

  it(
    verifies('halt.second-client'),
    async () => {
      const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'phone',
        scopes: ['observe', 'decide'],
      });
      const { id } = await stack.client.createGoal('halting');
      const { number, action } = await stack.client.decisionOf(id);
      await Promise.all([postgres.kill(), ...stack.services.map((service) => service.kill('SIGKILL'))]);
      await postgres.start();
      await Promise.all(stack.services.map((service) => service.start()));

      const phone = new ApiClient(stack.client.url, token);
      expect(await phone.pendingDecisions()).toMatchObject([{ number, action, goalId: id }]);
      const answeredAt = Date.now();
      expect(await phone.decide(number, 'proceed')).toMatchObject({ verdict: 'proceed', decidedBy: 'phone' });
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual([
        ['finished', 0],
        ['finished', 0],
        ['finished', 0],
      ]);
      expect(goal.actions[2]?.outcome?.output).toBe('');
      expect(Date.parse(goal.actions[1]?.startedAt ?? '') - answeredAt).toBeLessThan(HANG_MS);
    },
    180_000,
  );

  it(
    verifies('goal.of-chat'),
    async () => {
      const chats = new ChatClient(stack.client);
      const chat = await chats.create();
      await chats.exchange(chat.id, 'my disk is sda');
      const run = (...args: string[]) => aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
      const given = await run('norris', '--chat', `c${chat.number}`, '--json', 'do that');
      const { id, number } = JSON.parse(given.stdout) as { id: string; number: number };
      const asked = await stack.client.decisionOf(id);
      const first = model.requests.findLast(({ messages }) => messages[1]?.content.startsWith('do that') === true);
      expect(first?.messages[1]?.content).toContain('[background] This goal was given in a chat.');
      expect(first?.messages[1]?.content).toContain('user:\n| my disk is sda\naish:\n| Noted.');
      // Both workers are killed, and only one of them reports the end.
      await Promise.all(stack.workers.map((service) => service.kill('SIGKILL')));
      await Promise.all(stack.workers.map((service) => service.start()));
      await run('decide', `d${asked.number}`, 'answer', 'that one');
      await stack.client.until(id, 'done');
      const noticesIn = async () => {
        const items = await chats.replay(chat.id, 0, 'exchange.ended');
        const last = items.at(-1)?.seq ?? 0;
        return bodiesOf([...items, ...(await chats.replay(chat.id, last + 1, 'goal.noticed'))], 'goal.noticed');
      };
      expect((await noticesIn()).map(({ text }) => text)).toEqual([
        `[aish] Goal ${number}, given in this chat, has ended: done\n| The disk is checked.`,
      ]);
      await sleep(5_000);
      const seen = bodiesOf(await chats.exchange(chat.id, 'and now?'), 'answer.ended');
      expect(seen.map(({ text }) => text)).toEqual(['So it is.']);
      const request = model.requests.at(-1)?.messages.at(-1)?.content ?? '';
      expect(request.match(/has ended: done/g)).toHaveLength(1);
      expect(request).toMatch(/given goal \d+ from this chat[^]*has ended: done[^]*and now\?$/);
    },
    180_000,
  );

  it(
    verifies('goal.questions', 'the command line answers a GOAL: ask question in words'),
    async () => {
      const run = (...args: string[]) => aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
      const { id } = await stack.client.createGoal('asking');
      const { number, kind, action } = await stack.client.decisionOf(id);
      expect([kind, action]).toEqual(['question', 'Which disk?']);
      await Promise.all(stack.services.map((service) => service.kill('SIGKILL')));
      await Promise.all(stack.services.map((service) => service.start()));
      expect((await stack.client.goal(id)).state).toBe('halted');
      // Only words are an answer, and after anything else the question stays open.
      for (const words of [
        ['proceed'],
        ['answer'],
        ['proceed', 'sda'],
        ['edit', '-c', 'ls'],
        ['proceed', '--grant', 'rule'],
      ]) {
        expect((await run('decide', `d${number}`, ...words)).code).not.toBe(0);
      }
      const answered = await run('decide', `d${number}`, 'answer', 'sda, the', 'blue one');
      expect([answered.code, answered.stdout]).toEqual([0, expect.stringContaining('“sda, the blue one”')]);
      expect((await run('decide', `d${number}`, 'skip')).code).not.toBe(0);
      expect((await stack.client.until(id, 'done')).actions).toMatchObject([{ outcome: { output: 'asked\n' } }]);
      const asked = model.requests.filter(({ messages }) => JSON.stringify(messages).includes('Which disk?'));
      expect(asked[0]?.messages.at(-1)).toEqual({
        role: 'user',
        content: '[aish] The user answers:\nsda, the blue one',
      });
    },
    180_000,
  );
});
