import { SafetyGate } from '@aish/actions';
import { FakeSandbox, NoWorkspaces } from '@aish/actions/testing/fake.sandbox';
import type { RunOutcome } from '@aish/contracts/actions';
import { Presets, presetNamed, presetsOf } from '@aish/contracts/config/presets.settings';
import { CreateGoal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { UNKNOWN_CAPABILITIES } from '@aish/contracts/models';
import { OUTCOME as SUCCESS } from '@aish/contracts/testing/outcome';
import { Asker, CapabilityStore, TokenCounter, type Broker } from '@aish/broker';
import { connectDatabase, type Database } from '@aish/database/client';
import { SharedLocks } from '@aish/database/shared-locks';
import { inTransaction } from '@aish/database/transaction';
import { createTestDatabase } from '@aish/database/testing';
import { GoalRunner, ModelSlots, createGoal } from '@aish/sessions';
import { openBus, type EventBus } from '@aish/queue';
import { startTestRedis } from '@aish/queue/testing';
import { Toolbox } from '@aish/tools';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const STEPS = sized(60, 3);
const GOALS = sized(6, 1);
const MANY = sized(200, 4);
const ID = '00000000-0000-4000-8000-000000000000';

/**
 * Measures the cost of Norris mode itself: runner, state machine, database and bus. Model and commands take no time
 * here.
 */
export const benchmark: Benchmark = {
  name: 'norris',
  about:
    `${GOALS} goals of ${STEPS} steps with one safe command each, run one after the other with a model and a sandbox that ` +
    'answer at once, over a real Postgres, with the bus on Postgres and on Redis. What is left is ' +
    `the time per step outside model and command, beside a bare transaction. Then ${MANY} goals of two steps, four at once.`,
  goals: {
    step_postgres_p50_ms: { op: '<=', value: 15 },
    step_redis_p50_ms: { op: '<=', value: 10 },
    // Unlike the times, this figure does not depend on other load on the machine.
    round_trips_postgres_per_step: { op: '<=', value: 3.2 },
    round_trips_redis_per_step: { op: '<=', value: 3.2 },
  },
  async run(progress) {
    const database = await createTestDatabase();
    const redis = await startTestRedis();
    try {
      const databaseUrl = database.url;
      const onPostgres = await measure({ databaseUrl }, 'postgres', progress);
      const onRedis = await measure({ databaseUrl, redisUrl: redis.url }, 'redis', progress);
      return { ...onPostgres, ...onRedis };
    } finally {
      await redis.drop();
      await database.drop();
    }
  },
};

async function measure(
  store: { readonly databaseUrl: string; readonly redisUrl?: string },
  name: string,
  progress: (line: string) => void,
): Promise<Figures> {
  const db = connectDatabase(store.databaseUrl);
  const trips = countRoundTrips(db);
  const locks = new SharedLocks(db, (error) => progress(String(error)));
  const bus = await openBus(store);
  try {
    const steps: number[] = [];
    const floor: number[] = [];
    let tripsOfGoals = 0;
    let cpuMs = 0;
    for (let n = 0; n <= GOALS; n += 1) {
      const times: number[] = [];
      const runner = runnerOf(db, locks, bus, STEPS, () => times.push(now()));
      const goalId = await newGoal(db, STEPS + 1);
      const tripsBefore = trips();
      const cpuBefore = process.cpuUsage();
      await runner.run(goalId, new AbortController().signal);
      if (n === 0) continue; // this is the warm-up
      const { user, system } = process.cpuUsage(cpuBefore);
      cpuMs += (user + system) / 1000;
      tripsOfGoals += trips() - tripsBefore;
      // Both are measured alternately, so that the machine is the same for both.
      for (let round = 0; round < STEPS; round += 1) floor.push(await bareTransaction(db));
      for (const [at, time] of times.entries()) if (at > 0) steps.push(time - (times[at - 1] ?? time));
      progress(`${name}: goal ${n}/${GOALS}`);
    }
    const runner = runnerOf(db, locks, bus, 2, () => undefined);
    const goals = await Promise.all(Array.from({ length: MANY }, () => newGoal(db, 3)));
    const before = now();
    const queue = [...goals];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let goalId = queue.shift(); goalId !== undefined; goalId = queue.shift()) {
          await runner.run(goalId, new AbortController().signal);
        }
      }),
    );
    const manyMs = now() - before;
    return {
      [`step_${name}_p50_ms`]: percentile(steps, 0.5),
      [`step_${name}_p95_ms`]: percentile(steps, 0.95),
      [`transaction_${name}_p50_ms`]: percentile(floor, 0.5),
      [`step_${name}_in_transactions_ratio`]: percentile(steps, 0.5) / percentile(floor, 0.5),
      [`step_${name}_p10_ms`]: percentile(steps, 0.1),
      [`step_${name}_cpu_ms`]: cpuMs / (GOALS * (STEPS + 1)),
      [`round_trips_${name}_per_step`]: tripsOfGoals / (GOALS * (STEPS + 1)),
      [`goals_${name}_per_s`]: (MANY * 1000) / manyMs,
    };
  } finally {
    await bus.close();
    await locks.close();
    await db.close();
  }
}

/**
 * Counts the queries on the pool's connections from now on. They are the runner's queries if nothing else uses the
 * pool.
 */
function countRoundTrips({ pool }: Database): () => number {
  let count = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: readonly unknown[]) => {
        count += 1;
        return query(...args);
      },
    });
  });
  return () => count;
}

/** Measures one transaction that writes one row, as the baseline. */
async function bareTransaction({ pool }: Database): Promise<number> {
  const client = await pool.connect();
  const before = now();
  await client.query('begin');
  await client.query('update api_tokens set last_used_at = now() where id = $1', [ID]);
  await client.query('commit');
  const tookMs = now() - before;
  client.release();
  return tookMs;
}

async function newGoal(db: Database, stepBudget: number): Promise<string> {
  const goal = CreateGoal.parse({ text: 'measure', stepBudget });
  const created = await inTransaction(db, (tx) => createGoal(tx, { goal, createdBy: 'bench' }));
  invariant(created !== null, 'a goal without a schedule is new');
  return created.goal.id;
}

const OUTCOME: RunOutcome = { ...SUCCESS, durationMs: 0, output: 'a line\n'.repeat(20) };

/** A sandbox in which each command ends at once, with some lines of output. */
class InstantSandbox extends FakeSandbox {
  override async *run(): ReturnType<FakeSandbox['run']> {
    yield { type: 'exit', outcome: OUTCOME };
  }
}

function runnerOf(db: Database, locks: SharedLocks, bus: EventBus, steps: number, asked: () => void): GoalRunner {
  const presets = presetsOf(Presets.parse({}));
  const broker: Broker = {
    async *chat({ messages }) {
      asked();
      const n = messages.filter((message) => message.role === 'assistant').length;
      yield { type: 'text', text: n < steps ? `Step ${n}.\nCMD: ls -la step-${n}` : 'GOAL: complete\nDone.' };
      yield {
        type: 'end',
        finishReason: 'stop',
        model: 'none',
        usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1, promptMs: 0, completionMs: 0 },
      };
    },
    connectAhead: () => undefined,
    readAhead: () => Promise.resolve(false),
    models: () => Promise.reject(new Error('not asked')),
    capabilities: () => Promise.resolve({ ...UNKNOWN_CAPABILITIES, contextTokens: 1_000_000 }),
    countTokens: () => Promise.resolve(null),
    identity: () => Promise.resolve(null),
  };
  const store = { load: () => Promise.resolve(null), save: () => Promise.resolve() };
  return new GoalRunner(
    {
      db,
      locks,
      asker: new Asker(broker, new CapabilityStore(broker, store, () => undefined), new TokenCounter(broker)),
      sandbox: new InstantSandbox(),
      workspaces: new NoWorkspaces(),
      gate: new SafetyGate(broker, { mode: 'auto', preset: presetNamed(presets, 'fast'), rules: [] }),
      secrets: () => Promise.resolve([]),
      toolbox: new Toolbox(() => [], { keep: () => Promise.resolve('r-1'), readText: () => Promise.resolve(null) }),
      autoApproves: () => false,
      slots: new ModelSlots(64),
      memory: () => Promise.resolve(null),
      publish: (notice) => void bus.publish(notice),
      onError: (error) => {
        throw error;
      },
    },
    {
      presets,
      commandTimeoutMs: 1_000,
      elicitationWaitMs: 1_000,
      waitMinMs: 1_000,
      waitMaxMs: 1_000,
      lockWaitMs: 1_000,
      toolShare: 0.1,
      grants: true,
      trustMax: 'undoable',
    },
  );
}
