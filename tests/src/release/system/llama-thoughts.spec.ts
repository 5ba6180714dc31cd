import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpBroker, collectAnswer } from '@aish/broker';
import { invariant } from '@aish/contracts/invariant';
import type { ShownTurn } from '@aish/contracts/sessions';
import { compose, goalSystemPrompt, withThoughts } from '@aish/prompt';
import { verifies } from '../../requirements.js';
import { exactly, startForcingProxy, type ForcingProxy } from '../../support/llama/forcing-proxy.js';
import { startLlamaServer, type LlamaServer } from '../../support/llama/llama-server.js';

const STEPS = 12;
/** The budget is larger than the whole conversation, so that none of it is omitted. */
const BUDGET_TOKENS = 30_000;
const THOUGHT = 'I should look at the next archive, because this one is damaged. '.repeat(8).trim();
const answerOf = (step: number): string => `CMD: tar -tzf backup-${step}.tar.gz\n`;
const resultOf = (step: number): string =>
  `[exec] $ tar -tzf backup-${step}.tar.gz\n${'| etc/hosts\n'.repeat(20)}exit code 0`;

describe('thoughts that a model sees again, with the prompt cache of a real llama-server', () => {
  let llama: LlamaServer;
  let proxy: ForcingProxy;
  beforeAll(async () => {
    llama = await startLlamaServer({ template: 'think', args: ['-c', '32768'] });
    proxy = await startForcingProxy({
      target: llama.url,
      force: ({ messages }) => {
        const step = (messages as readonly unknown[]).length / 2;
        return exactly(`<think>\n${THOUGHT}\n</think>\n\n${answerOf(step)}`);
      },
    });
  }, 6 * 60_000);
  afterAll(async () => {
    await proxy?.close();
    await llama?.stop();
  });

  /**
   * Plays a goal. Returns the number of tokens that the server read, divided by the number that were new in each
   * prompt.
   */
  async function readPerNew(which: 'none' | 'last' | 'all'): Promise<number> {
    const system = `${which}: ${goalSystemPrompt([], null)}`;
    const goal = 'find the newest archive that can be read to its end';
    const turns: ShownTurn[] = [{ seq: 1, role: 'user', content: goal }];
    let [read, added, before] = [0, 0, 0];
    for (let step = 1; step <= STEPS; step += 1) {
      const messages = compose(system, withThoughts(turns, which), BUDGET_TOKENS);
      const chunks = new HttpBroker().chat({ preset: presetAt(proxy.url), messages }, new AbortController().signal);
      const { text, reasoning, usage } = await collectAnswer(chunks);
      expect(text).toBe(answerOf(step));
      const { promptTokens: prompt = null, cachedTokens: cached = null } = usage ?? {};
      invariant(prompt !== null && cached !== null, 'llama-server reports both');
      read += prompt - cached;
      added += prompt - before;
      before = prompt;
      turns.push(
        { seq: 2 * step, role: 'assistant', content: text, meta: { reasoning } },
        { seq: 2 * step + 1, role: 'output', content: resultOf(step) },
      );
    }
    return read / added;
  }

  it.each(['none', 'all'] as const)(
    verifies(
      'models.thoughts-cached',
      'a goal reads each token of its prompt once if the model sees %s of its thoughts',
    ),
    async (which) => {
      expect(await readPerNew(which)).toBeLessThanOrEqual(1.02);
    },
    180_000,
  );

  it('a model that sees only its newest thoughts reads an answer and its result twice', async () => {
    const ratio = await readPerNew('last');
    expect(ratio).toBeGreaterThan(1.5);
    expect(ratio).toBeLessThan(3);
  }, 180_000);
});

function presetAt(baseUrl: string) {
  const ms = 60_000;
  return {
    name: 'fast',
    baseUrl,
    model: null,
    temperature: 0,
    maxTokens: 1_024,
    apiKey: null,
    connectTimeoutMs: ms,
    idleTimeoutMs: ms,
    totalTimeoutMs: ms,
  };
}
