import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@aish/contracts';
import { connectDatabase, type Database } from '@aish/database';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel } from '@aish/rehearsal';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { startMortalPostgres } from '../support/mortal.postgres.js';
import { Stack } from '../support/stack.js';
import { CHAOS_SCRIPT, chaosGoals, type ChaosGoal } from './chaos-goal.js';
import { judgeGoal } from './judge-goal.js';

export interface Chaos {
  readonly goals: number;
  readonly workers: number;
  /** Ends the killing; what is left is given as long again. */
  readonly seconds: number;
  readonly kills: number;
  /** The same seed kills the same parts in the same order. */
  readonly seed: number;
}

export interface ChaosReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** What can be killed with SIGKILL and started again. */
interface Victim {
  readonly name: string;
  kill(): Promise<unknown>;
  start(): Promise<void>;
  /** False when it has ended without being killed. */
  isRunning?(): boolean;
}

const START_TRIES = 20;
/** Parts that lie dead at the same time. */
const DOWN_MAX = 3;

/** Goals on several workers while every part under them is killed and started again; then each goal is judged. */
export async function goalsChaos(
  { goals: count, workers, seconds, kills, seed }: Chaos,
  progress: (line: string) => void = () => undefined,
): Promise<ChaosReport> {
  const model = await startScriptedModel({ script: CHAOS_SCRIPT });
  const redis = await startTestRedis();
  const postgres = await startMortalPostgres();
  let stack: Stack | undefined;
  let db: Database | undefined;
  const stopping = new AbortController();
  let answering: Promise<void> = Promise.resolve();
  try {
    const running = await Stack.start({
      modelUrl: model.url,
      redisUrl: redis.url,
      workers,
      database: { url: postgres.url, drop: () => postgres.drop() },
    });
    stack = running;
    db = connectDatabase(postgres.url, { max: 2 });
    const given = new Map<string, ChaosGoal>();
    for (const goal of chaosGoals(count)) given.set((await running.client.createGoal(goal.text, goal.more)).id, goal);
    answering = answerAll(running, given, stopping.signal);
    const victims: readonly Victim[] = [
      ...running.services.map((service) => ({
        name: service.name,
        kill: () => service.kill('SIGKILL'),
        start: () => service.start(),
        isRunning: () => service.isRunning,
      })),
      { name: 'redis', kill: () => redis.kill(), start: () => redis.start() },
      { name: 'postgres', kill: () => postgres.kill(), start: () => postgres.start() },
    ];
    const began = Date.now();
    const killed: Record<string, number> = {};
    const faults: string[] = [];
    const deadline = began + seconds * 1000;
    const down = new Map<string, Promise<void>>();
    let total = 0;
    while (total < kills && Date.now() < deadline) {
      await sleep(200 + 1_800 * roll(seed, total, 'when'));
      const open = await openGoals(running, given);
      if (open === 0) break;
      for (const each of victims) {
        if (down.has(each.name) || each.isRunning?.() !== false) continue;
        faults.push(`${each.name} ended by itself`);
        await startAgain(each);
      }
      const upright = victims.filter(({ name }) => !down.has(name));
      const victim = upright[Math.floor(roll(seed, total, 'who') * upright.length)];
      if (victim === undefined || down.size >= DOWN_MAX) continue;
      await victim.kill();
      total += 1;
      killed[victim.name] = (killed[victim.name] ?? 0) + 1;
      progress(
        `${Math.round((Date.now() - began) / 1000)} s, ${open ?? '?'} goals open: kill ${total}: ${victim.name}`,
      );
      const back = sleep(1_500 * roll(seed, total, 'for how long'))
        .then(() => startAgain(victim))
        .finally(() => down.delete(victim.name));
      back.catch(() => undefined); // whoever waits for all of them hears of it
      down.set(victim.name, back);
    }
    await Promise.all(down.values());
    await eventually('every goal ends', async () => (await openGoals(running, given)) === 0, {
      timeoutMs: Math.max(60, seconds) * 1000,
      everyMs: 500,
    });
    const tookMs = Date.now() - began;
    const counts = { goals: count, kills: total, seconds: Math.round(tookMs / 1000), commands: 0, lost: 0 };
    for (const [id, goal] of given) {
      const judged = await judgeGoal(running.client, db, goal, id);
      faults.push(...judged.faults);
      counts.commands += judged.commands;
      counts.lost += judged.lost;
    }
    const byName = Object.fromEntries(Object.entries(killed).map(([name, times]) => [`killed ${name}`, times]));
    return { counts: { ...counts, ...byName }, faults };
  } finally {
    stopping.abort();
    await answering;
    await closeAll(
      () => db?.close(),
      () => stack?.stop() ?? postgres.drop(),
      () => redis.drop(),
      () => model.close(),
    );
  }
}

/** A number in [0, 1) that is the same for the same arguments. */
function roll(seed: number, n: number, what: string): number {
  return createHash('sha256').update(`${seed} ${n} ${what}`).digest().readUInt32BE() / 2 ** 32;
}

/** Whatever it needs may have been killed before it. */
async function startAgain(victim: Victim): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await victim.start();
    } catch (error) {
      if (tries === START_TRIES) throw error;
      await sleep(500);
    }
  }
}

/** Null while the api cannot say. */
async function openGoals({ client }: Stack, given: ReadonlyMap<string, ChaosGoal>): Promise<number | null> {
  try {
    const goals = await Promise.all([...given.keys()].map((id) => client.goal(id)));
    return goals.filter(({ state }) => !isTerminal(state)).length;
  } catch {
    return null; // it is being killed; it is asked again
  }
}

/** The person: answers each question as its goal's script has it. */
async function answerAll({ client }: Stack, given: ReadonlyMap<string, ChaosGoal>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const { number, goalId } of await client.pendingDecisions()) {
        const goal = given.get(goalId ?? '');
        if (goal !== undefined)
          await client.request('POST', `/v1/decisions/${number}/verdict`, { verdict: goal.verdict });
      }
    } catch {
      // The api is being killed, with the answer or without; the question is asked for again.
    }
    await sleep(300);
  }
}
