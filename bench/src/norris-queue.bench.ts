import { GoalList, isTerminal, type Goal } from '@aish/contracts';
import { startScriptedModel } from '@aish/rehearsal';
import { eventually } from '@aish/tests/support/eventually';
import { plan } from '@aish/tests/support/plan';
import type { Benchmark, Figures } from './benchmark.js';
import { withStack, type Aish } from './norris/with-stack.js';
import { now } from './statistics.js';

const QUEUED = 200;
const HANG_MS = 900_000;
const EVERY_MS = 2_000;

/** Many goals at once. */
export const benchmark: Benchmark = {
  name: 'norris-queue',
  about:
    `${QUEUED} goals of one command given at once to two workers on a durable Postgres, with a model that answers at once. Each has ` +
    'a workspace and containers of its own, which is most of the time.',
  goals: { queued_done_ratio: { op: '>=', value: 1 } },
  async run(progress) {
    const model = await startScriptedModel({ script: plan('CMD: true', 'GOAL: complete') });
    try {
      return await withStack(model, undefined, progress, queued);
    } finally {
      await model.close();
    }
  },
};

async function queued({ stack, progress }: Aish): Promise<Figures> {
  const before = now();
  await Promise.all(Array.from({ length: QUEUED }, (_, n) => stack.client.createGoal(`queued ${n}`)));
  const givenMs = now() - before;
  const ended = await eventually(
    'every goal ends',
    async (): Promise<readonly Goal[] | null> => {
      const { items } = await stack.client.json(GoalList, 'GET', `/v1/goals?limit=${QUEUED}`);
      const over = items.filter(({ state }) => isTerminal(state));
      progress(`${over.length}/${QUEUED} goals have ended`);
      return over.length === QUEUED ? over : null;
    },
    { timeoutMs: HANG_MS, everyMs: EVERY_MS },
  );
  const tookMs = Math.max(...ended.map(({ endedAt }) => Date.parse(endedAt ?? ''))) - before;
  return {
    queued_given_ms: givenMs,
    queued_took_ms: tookMs,
    queued_goals_per_s: QUEUED / (tookMs / 1000),
    queued_done_ratio: ended.filter(({ state }) => state === 'done').length / QUEUED,
  };
}
