import { GoalList, isTerminal, type Goal } from '@aish/contracts/goals';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel } from '@aish/demo-model';
import { eventually } from '@aish/tests/support/eventually';
import { startMortalPostgres } from '@aish/tests/support/mortal.postgres';
import { plan } from '@aish/tests/support/plan';
import type { Service } from '@aish/tests/support/service';
import { Stack } from '@aish/tests/support/stack';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { keepStreaming, type Streams } from './load/supply.js';
import { weigh } from './load/priorities.js';
import { Watch } from './load/watch.js';
import { startEndpoint } from './relay/endpoint.js';
import { now, percentile } from './statistics.js';

const SECONDS = sized(300, 10);
const STREAMS = sized(200, 5);
/** The number of goals given at the start of a run of `SECONDS`. A shorter run gets a proportional number. */
const GOALS = sized(500, 10);
const WORKERS = 3;
const GIVERS = 20;
const TOKENS_EACH = 150;
const TOKENS_PER_SECOND = 10;
/** The time for goals that are unfinished when the streams end. This is only a limit against hangs. */
const DRAIN_MS = 1_800_000;
const METRICS_TOKEN = 'a-token-for-the-benchmark';

/** Measures all kinds of load at the same time, for minutes. */
export const benchmark: Benchmark = {
  name: 'load',
  about:
    `${STREAMS} chats that stream all the time (${TOKENS_PER_SECOND} tokens/s each from a scripted endpoint, ${TOKENS_EACH} tokens; who has read one answer ` +
    `begins the next chat) beside ${GOALS} goals of one command, all queued at the start, for ${SECONDS} s: api, ${WORKERS} workers and sandbox ` +
    'as processes, Redis, a durable Postgres. Readers and endpoint share the machine.',
  goals: {
    errors: { op: '<=', value: 0 },
    // People come first, even if goals use all processors.
    beside_goals_first_token_p50_ms: { op: '<=', value: 150 },
    beside_goals_first_token_p95_ms: { op: '<=', value: 1_000 },
    goals_done_ratio: { op: '>=', value: 1 },
    // This is the memory limit of a service in compose.
    rss_most_mb: { op: '<=', value: 512 },
    second_half_growth_ratio: { op: '<=', value: 1.1 },
  },
  async run(progress, { seconds = SECONDS } = {}) {
    const goals = Math.min(GOALS, Math.ceil((GOALS * seconds) / SECONDS));
    const model = await startScriptedModel({ script: plan('CMD: true', 'GOAL: complete') });
    const endpoint = await startEndpoint(TOKENS_EACH, TOKENS_PER_SECOND);
    const redis = await startTestRedis();
    const postgres = await startMortalPostgres();
    let stack: Stack | undefined;
    try {
      stack = await Stack.start({
        modelUrl: endpoint.url,
        model: 'relay',
        redisUrl: redis.url,
        workers: WORKERS,
        ownProcesses: true,
        database: { url: postgres.url, drop: () => postgres.drop() },
        // Goals ask a separate model, because the endpoint of the streams writes only timestamps.
        env: { DEEP_BASE_URL: model.url, LOG_LEVEL: 'warn', METRICS_TOKEN },
      });
      const pidsOf = (services: readonly Service[]) => services.flatMap(({ pid }) => pid ?? []);
      const isWeighed = weigh([...pidsOf([stack.api]), postgres.pid], pidsOf(stack.workers));
      if (!isWeighed) progress('the weights that compose gives to services need root here: all have the same');
      return { is_weighed: isWeighed ? 1 : 0, ...(await load(stack, goals, seconds, progress)) };
    } catch (error) {
      for (const line of stack?.services.flatMap(troubles) ?? []) progress(line);
      throw error;
    } finally {
      await (stack?.stop() ?? postgres.drop());
      endpoint.child.kill('SIGKILL');
      await redis.drop();
      await model.close();
    }
  },
};

async function load(stack: Stack, goals: number, seconds: number, progress: (line: string) => void): Promise<Figures> {
  const { client } = stack;
  // The first question probes the model, and its answer is not one of the measured streams.
  await keepStreaming(client, { streams: 1, endsAt: now() + 2_000, tokensEach: TOKENS_EACH });
  const watch = new Watch(stack.services, { url: `${client.url}/metrics`, token: METRICS_TOKEN });
  const began = now();
  const streaming = keepStreaming(client, {
    streams: STREAMS,
    endsAt: began + seconds * 1_000,
    tokensEach: TOKENS_EACH,
  });
  // Several clients give goals in parallel, so that the queue grows and not the line of requests.
  const givers = Array.from({ length: GIVERS }, async (_, giver) => {
    for (let n = giver; n < goals; n += GIVERS) await client.createGoal(`load ${n}`, { preset: 'deep' });
  });
  await Promise.all(givers);
  progress(`${goals} goals given after ${Math.round(now() - began)} ms`);
  const all = async (): Promise<readonly Goal[]> =>
    (await client.json(GoalList, 'GET', `/v1/goals?limit=${GOALS}`)).items;
  const reporter = setInterval(() => {
    void all().then(
      (items) =>
        progress(
          `${Math.round((now() - began) / 1_000)} s: ${items.filter(({ state }) => isTerminal(state)).length}/${goals} goals have ended`,
        ),
      (error: unknown) => progress(String(error)),
    );
  }, 10_000);
  const streams = await streaming.finally(() => clearInterval(reporter));
  const streamedMs = now() - began;
  const endedMeanwhile = (await all()).filter(({ endedAt }) => endedAt !== null).length;
  const ended = await eventually(
    'every goal ends',
    async () => {
      const items = await all();
      return items.every(({ state }) => isTerminal(state)) ? items : null;
    },
    { timeoutMs: DRAIN_MS, everyMs: 2_000 },
  );
  const goalsMs = Math.max(...ended.map(({ endedAt }) => Date.parse(endedAt ?? ''))) - began;
  const faults = [...streams.faults, ...stack.services.flatMap(troubles)];
  for (const fault of faults.slice(0, 20)) progress(`FAULT ${fault}`);
  return {
    streams_finished: streams.finished,
    tokens_per_s: streams.tokens / (streamedMs / 1_000),
    ...firstTokens('', streams.firstTokens),
    // Starting containers uses all processor time, which slows the chats down.
    ...firstTokens(
      'beside_goals_',
      streams.firstTokens.filter(({ at }) => at < began + goalsMs),
    ),
    ...firstTokens(
      'after_goals_',
      streams.firstTokens.filter(({ at }) => at >= began + goalsMs),
    ),
    token_age_p50_ms: percentile(streams.tokenMs, 0.5),
    token_age_p95_ms: percentile(streams.tokenMs, 0.95),
    goals_given: goals,
    goals_done_meanwhile: endedMeanwhile,
    goals_done_ratio: ended.filter(({ state }) => state === 'done').length / goals,
    goals_per_s: goals / (goalsMs / 1_000),
    ...watch.stop(streamedMs),
    errors: faults.length,
  };
}

function firstTokens(when: string, seen: Streams['firstTokens']): Figures {
  const ms = seen.map((each) => each.ms);
  return {
    [`${when}first_token_p50_ms`]: percentile(ms, 0.5),
    [`${when}first_token_p95_ms`]: percentile(ms, 0.95),
  };
}

/** Returns the errors at the end of a service's log. */
function troubles({ log, name }: Service): readonly string[] {
  return log.split('\n').flatMap((line) => (/"level":(50|60)/.test(line) ? [`${name}: ${line}`] : []));
}
