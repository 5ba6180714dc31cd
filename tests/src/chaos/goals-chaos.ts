import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@aish/contracts/goals';
import { eventually } from '../support/eventually.js';
import type { Stack } from '../support/stack.js';
import { CHAOS_SCRIPT, chaosGoals, type ChaosGoal } from './chaos-goal.js';
import { atChaosPlace, type ChaosPlace } from './chaos-place.js';
import { judgeGoals } from './judge-goal.js';
import { answerAll } from './person.js';
import { raiseFallen, startAgain } from './victims.js';

export interface Chaos {
  readonly goals: number;
  readonly workers: number;
  /** Whether the api has the only worker in its process, without Redis, as with `npm start`. */
  readonly small?: boolean;
  /** After this time nothing more is killed, and the goals get as much time again to end. */
  readonly seconds: number;
  readonly kills: number;
  /** The same seed kills the same parts in the same order. */
  readonly seed: number;
}

export interface ChaosReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** The maximum number of parts that are down at the same time. */
const DOWN_MAX = 3;

/** Runs goals on several workers while every part is killed and restarted, and then judges each goal. */
export function goalsChaos(chaos: Chaos, progress: (line: string) => void = () => undefined): Promise<ChaosReport> {
  const { workers, small: isSmall = false } = chaos;
  return atChaosPlace({ script: CHAOS_SCRIPT, workers, isSmall }, async (place) => {
    const given = new Map<string, ChaosGoal>();
    for (const goal of chaosGoals(chaos.goals))
      given.set((await place.stack.client.createGoal(goal.text, goal.more)).id, goal);
    const stopping = new AbortController();
    const answering = answerAll(place.stack.client, given, stopping.signal);
    try {
      return await killAtRandom(place, given, chaos, progress);
    } finally {
      stopping.abort();
      await answering;
    }
  });
}

async function killAtRandom(
  { stack, db, victims }: ChaosPlace,
  given: ReadonlyMap<string, ChaosGoal>,
  { seconds, kills, seed }: Chaos,
  progress: (line: string) => void,
): Promise<ChaosReport> {
  const began = Date.now();
  const killed: Record<string, number> = {};
  const faults: string[] = [];
  const deadline = began + seconds * 1000;
  const down = new Map<string, Promise<void>>();
  let total = 0;
  while (total < kills && Date.now() < deadline) {
    await sleep(200 + 1_800 * roll(seed, total, 'when'));
    const open = await openGoals(stack, given);
    if (open === 0) break;
    faults.push(...(await raiseFallen(victims.filter(({ name }) => !down.has(name)))));
    const upright = victims.filter(({ name }) => !down.has(name));
    const victim = upright[Math.floor(roll(seed, total, 'who') * upright.length)];
    if (victim === undefined || down.size >= DOWN_MAX) continue;
    await victim.kill();
    total += 1;
    killed[victim.name] = (killed[victim.name] ?? 0) + 1;
    progress(`${Math.round((Date.now() - began) / 1000)} s, ${open ?? '?'} goals open: kill ${total}: ${victim.name}`);
    const back = sleep(1_500 * roll(seed, total, 'for how long'))
      .then(() => startAgain(victim))
      .finally(() => down.delete(victim.name));
    back.catch(() => undefined); // the wait for all parts reports the error
    down.set(victim.name, back);
  }
  await Promise.all(down.values());
  await eventually('every goal ends', async () => (await openGoals(stack, given)) === 0, {
    timeoutMs: Math.max(60, seconds) * 1000,
    everyMs: 500,
  });
  const tookMs = Date.now() - began;
  const judged = await judgeGoals({ stack, db }, given);
  const counts = { kills: total, seconds: Math.round(tookMs / 1000), ...judged.counts };
  const byName = Object.fromEntries(Object.entries(killed).map(([name, times]) => [`killed ${name}`, times]));
  return { counts: { ...counts, ...byName }, faults: [...faults, ...judged.faults] };
}

/** Returns a pseudo-random number in [0, 1) that depends only on the arguments. */
export function roll(seed: number, n: number, what: string): number {
  return createHash('sha256').update(`${seed} ${n} ${what}`).digest().readUInt32BE() / 2 ** 32;
}

/** Returns the number of open goals, or null while the api cannot answer. */
async function openGoals({ client }: Stack, given: ReadonlyMap<string, ChaosGoal>): Promise<number | null> {
  try {
    const goals = await Promise.all([...given.keys()].map((id) => client.goal(id)));
    return goals.filter(({ state }) => !isTerminal(state)).length;
  } catch {
    return null; // the api is being killed, and the question is repeated
  }
}
