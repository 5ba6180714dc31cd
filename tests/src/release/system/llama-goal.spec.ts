import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelList } from '@aish/contracts/models';
import { rehearsalScript } from '@aish/rehearsal';
import { z } from 'zod';
import { closeAll } from '../../support/close-all.js';
import { verifies } from '../../requirements.js';
import { exactly, startForcingProxy, type ForcingProxy } from '../../support/llama/forcing-proxy.js';
import { startLlamaServer, type LlamaServer } from '../../support/llama/llama-server.js';
import { Stack } from '../../support/stack.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';
const Body = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

describe('a goal on a real llama-server', () => {
  let llama: LlamaServer;
  let proxy: ForcingProxy;
  let stack: Stack;

  beforeAll(async () => {
    llama = await startLlamaServer({ args: ['-c', '16384'] });
    // The tiny model cannot plan, so a grammar forces the words of the rehearsal on it; all else is llama-server's own.
    proxy = await startForcingProxy({
      target: llama.url,
      force: (body, n) => {
        const reply = rehearsalScript(Body.parse(body).messages, n);
        if (!('text' in reply) || reply.text === undefined) throw new Error('llama-goal: the rehearsal said nothing');
        // llama-server takes no grammar beside tools; what forces the words is the grammar.
        return { ...exactly(reply.text), tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined };
      },
    });
    stack = await Stack.start({ modelUrl: proxy.url });
  }, 180_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => proxy?.close(),
        () => llama?.stop(),
      ),
    60_000,
  );

  it(
    verifies('main-job.llama'),
    async () => {
      const models = await stack.client.json(ModelList, 'GET', '/v1/models');
      expect(models.items[0]).toMatchObject({ state: 'ready', model: 'tiny', rehearsal: false });
      const { id } = await stack.client.createGoal(GOAL);
      const decision = await stack.client.decisionOf(id);
      expect(decision.action).toBe('rm -rf copies');
      await stack.client.decide(decision.number, 'proceed');
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual(
        goal.actions.map(() => ['finished', 0]),
      );
      // Each step reads its new tokens and takes the rest from the cache: the conversation only grew at its end.
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
