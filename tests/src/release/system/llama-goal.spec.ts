import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelList } from '@aish/contracts/models';
import { demoScript } from '@aish/demo-model';
import { z } from 'zod';
import { closeAll } from '../../support/close-all.js';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { exactly, startForcingProxy, type ForcingProxy } from '../../support/llama/forcing-proxy.js';
import { startLlamaServer, type LlamaServer } from '../../support/llama/llama-server.js';
import { Stack } from '../../support/stack.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';
const Body = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

/** Stops the model, its proxy and aish. */
async function closeLab(stack: Stack | undefined, proxy: ForcingProxy | undefined, llama: LlamaServer | undefined) {
  await closeAll(
    () => stack?.stop(),
    () => proxy?.close(),
    () => llama?.stop(),
  );
}

/**
 * Returns the fields that force an answer. llama-server accepts no grammar together with tools, and the grammar forces
 * the text.
 */
const forced = (text: string) => ({
  ...exactly(text),
  tools: undefined,
  tool_choice: undefined,
  parallel_tool_calls: undefined,
});

describe('a goal on a real llama-server', () => {
  let llama: LlamaServer;
  let proxy: ForcingProxy;
  let stack: Stack;

  beforeAll(async () => {
    llama = await startLlamaServer({ args: ['-c', '16384'] });
    // The tiny model cannot plan, so a grammar forces the demo's answers. Everything else is llama-server's own.
    proxy = await startForcingProxy({
      target: llama.url,
      force: (body, n) => {
        // A request that only reads ahead is left unchanged, except for the tools, as below.
        if (body['n_predict'] === 0) return { ...forced(''), grammar: undefined };
        const reply = demoScript(Body.parse(body).messages, n);
        if (!('text' in reply) || reply.text === undefined) throw new Error('llama-goal: the demo said nothing');
        return forced(reply.text);
      },
    });
    stack = await Stack.start({ modelUrl: proxy.url });
  }, 180_000);

  afterAll(() => closeLab(stack, proxy, llama), 60_000);

  it(
    verifies('main-job.llama'),
    async () => {
      const models = await stack.client.json(ModelList, 'GET', '/v1/models');
      expect(models.items[0]).toMatchObject({ state: 'ready', model: 'tiny', demo: false });
      const { id } = await stack.client.createGoal(GOAL);
      const decision = await stack.client.decisionOf(id);
      expect(decision.action).toBe('rm -rf copies');
      // The model reads ahead while a person thinks.
      await eventually('it was read ahead', async () => proxy.requests.at(-1)?.['n_predict'] === 0);
      await stack.client.decide(decision.number, 'proceed');
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        goal.actions.map(() => ['finished', 0]),
      );
      // Each step reads only its new tokens, because the conversation grew only at its end.
      const later = goal.steps.slice(1).map((step) => step.usage);
      expect(later.length).toBeGreaterThanOrEqual(3);
      for (const [index, usage] of later.entries()) {
        const before = goal.steps[index]?.usage;
        const known = (before?.promptTokens ?? 0) + (before?.completionTokens ?? 0);
        expect(usage?.cachedTokens).toBeGreaterThanOrEqual(known * 0.95);
      }
    },
    180_000,
  );
});

describe('a worker that dies while a real llama-server is writing', () => {
  // The answer takes some seconds, because the tiny model writes a token for each byte.
  const ANSWER = `${Array.from({ length: 20 }, (_, n) => `After ${n} comes ${n + 1}, squared ${n * n}.`).join('\n')}\nGOAL: complete\nIt is 42.`;
  let llama: LlamaServer;
  let proxy: ForcingProxy;
  let stack: Stack;

  beforeAll(async () => {
    llama = await startLlamaServer({ layers: 40, args: ['-c', '16384'] });
    proxy = await startForcingProxy({ target: llama.url, force: () => forced(ANSWER) });
    stack = await Stack.start({
      modelUrl: proxy.url,
      quickRecovery: true,
      env: { PRESETS: JSON.stringify([{ name: 'fast', maxTokens: 6_000 }]) },
    });
  }, 180_000);

  afterAll(() => closeLab(stack, proxy, llama), 60_000);

  it(
    verifies(
      'main-job.llama',
      'the next worker continues the answer that a killed worker began, and requests no new one',
    ),
    async () => {
      await stack.client.json(z.unknown(), 'POST', '/v1/models/fast/probe');
      const asked = (): number => proxy.requests.filter((body) => JSON.stringify(body).includes('how long')).length;
      const { id } = await stack.client.createGoal('how long is it?');
      await eventually('the model writes', async () => asked() === 1);
      for (const worker of stack.workers) {
        await worker.kill('SIGKILL');
        await worker.start();
      }
      const goal = await eventually(
        'the goal is done',
        async () => {
          const now = await stack.client.goal(id);
          return now.state === 'done' && now;
        },
        { timeoutMs: 150_000 },
      );
      expect(goal.steps.map(({ text }) => text)).toEqual([ANSWER]);
      expect(asked()).toBe(1);
    },
    180_000,
  );
});

describe('three model servers, one of which swaps its model while a goal runs', () => {
  const PORT_OF = (url: string): string => new URL(url).port;
  const servers: LlamaServer[] = [];
  let proxy: ForcingProxy;
  let stack: Stack;

  beforeAll(async () => {
    const args = (alias: string): readonly string[] => ['-c', '16384', '--alias', alias];
    const [fast, deep, small] = await Promise.all(
      ['first', 'deep', 'small'].map((alias) => startLlamaServer({ args: args(alias) })),
    );
    if (fast === undefined || deep === undefined || small === undefined) throw new Error('a server is missing');
    servers.push(fast, deep, small);
    proxy = await startForcingProxy({
      target: fast.url,
      force: (body) => {
        const asked = Body.parse(body).messages.filter(({ role }) => role === 'assistant').length;
        return forced(asked < 3 ? `CMD: sleep ${asked + 6}` : 'GOAL: complete\nIt went on.');
      },
    });
    stack = await Stack.start({
      modelUrl: proxy.url,
      env: { DEEP_BASE_URL: deep.url, PRESETS: JSON.stringify([{ name: 'small', baseUrl: small.url }]) },
    });
  }, 180_000);

  afterAll(async () => {
    await closeLab(stack, proxy, undefined);
    for (const server of servers) await server.stop();
  }, 60_000);

  it(
    verifies(
      'main-job.llama',
      'a goal continues when its server swaps the model, and the list of models reports the change',
    ),
    async () => {
      for (const preset of ['fast', 'deep', 'small'])
        await stack.client.json(z.unknown(), 'POST', `/v1/models/${preset}/probe`);
      const { id } = await stack.client.createGoal('wait a moment');
      await eventually('the command runs', () => stack.client.firstCommandRuns(id));
      const [first] = servers;
      await first?.stop();
      const args = ['--port', PORT_OF(first?.url ?? ''), '--alias', 'second', '-c', '8192'];
      servers.push(await startLlamaServer({ until: 'started', template: 'think', args }));
      const goal = await stack.client.until(id, 'done');
      expect(goal.steps.map(({ model }) => model)).toEqual(['first', 'second', 'second', 'second']);
      const { items } = await eventually('the swap was noticed', async () => {
        const list = await stack.client.json(ModelList, 'GET', '/v1/models');
        return (list.items[0]?.capabilities ?? null) !== null && list;
      });
      const [fast, ...others] = items.map(({ model, capabilities }) => [
        model,
        capabilities?.contextTokens,
        capabilities?.notes.join('\n') ?? '',
      ]);
      expect(fast).toEqual(['second', 8_192, expect.stringContaining('now serves second instead of first')]);
      expect(others).toEqual([
        ['deep', 16_384, expect.not.stringContaining('now serves')],
        ['small', 16_384, expect.not.stringContaining('now serves')],
      ]);
    },
    180_000,
  );
});
