import { setTimeout as sleep } from 'node:timers/promises';
import type { Script } from '@aish/demo-model';
import type { ApiClient } from '../support/api.client.js';
import { ChatClient } from '../support/chat.client.js';
import { plan } from '../support/plan.js';
import { ChatCrowd, crowdAnswer } from './chat-crowd.js';
import { CHAOS_SCRIPT } from './chaos-goal.js';
import { atChaosPlace, type ChaosPlace } from './chaos-place.js';
import { GoalFlow } from './goal-flow.js';
import type { ChaosReport } from './goals-chaos.js';
import { judgeGoals } from './judge-goal.js';
import { answerAll } from './person.js';
import { raiseFallen, startAgain } from './victims.js';

export interface Soak {
  /** The number of chats that stream at the same time. */
  readonly streams: number;
  /** The number of goals that are open at the same time. */
  readonly goals: number;
  readonly workers: number;
  /** The number of times that each part is killed. */
  readonly rounds: number;
  /** The pause between a recovery and the next kill. */
  readonly pauseSeconds: number;
}

/** The pause between a kill and the restart, about as long as that of a supervisor. */
const DOWN_MS = 1_000;
/** This is only a limit against hangs. */
const RECOVERS_MS = 180_000;
const PROBE = 'probe';

const probe = plan('CMD: true', 'GOAL: complete');
const script: Script = (messages, n) => {
  const asked = messages.find(({ role }) => role === 'user')?.content ?? '';
  if (asked.startsWith('talk ')) return crowdAnswer(asked);
  if (asked === PROBE) return { text: 'here' };
  return (asked.includes(PROBE) ? probe : CHAOS_SCRIPT)(messages, n);
};

/**
 * Kills each part with SIGKILL in turn while chats stream and goals run. The next kill waits until a new goal is done
 * and a new message is answered. Then every goal and every message is judged.
 */
export function soak(options: Soak, progress: (line: string) => void = () => undefined): Promise<ChaosReport> {
  return atChaosPlace({ script, workers: options.workers }, async (place) => {
    const { client } = place.stack;
    const crowd = new ChatCrowd(place.db, new ChatClient(client));
    const flow = new GoalFlow(client);
    const stopping = new AbortController();
    const answering = answerAll(client, flow.given, stopping.signal);
    crowd.begin(options.streams);
    flow.begin(options.goals);
    try {
      const killed = await killInTurn(place, options, progress);
      await Promise.all([crowd.leave(), flow.end(RECOVERS_MS)]);
      progress('judging');
      const chats = await crowd.judge();
      const goals = await judgeGoals(place, flow.given);
      return {
        counts: { ...killed.counts, ...chats.counts, ...goals.counts },
        faults: [...killed.faults, ...chats.faults, ...goals.faults],
      };
    } finally {
      stopping.abort();
      await Promise.allSettled([crowd.leave(), flow.end(0), answering]);
    }
  });
}

async function killInTurn(
  { stack: { client }, victims }: ChaosPlace,
  { rounds, pauseSeconds }: Soak,
  progress: (line: string) => void,
): Promise<ChaosReport> {
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const note = (name: string, { goalMs, chatMs }: Recovery): void => {
    // The slowest of several rounds counts.
    counts[`${name}_goal_ms`] = Math.max(counts[`${name}_goal_ms`] ?? 0, goalMs);
    counts[`${name}_chat_ms`] = Math.max(counts[`${name}_chat_ms`] ?? 0, chatMs);
    progress(`${name}: a new goal is done after ${goalMs} ms, a new message answered after ${chatMs} ms`);
  };
  await sleep(pauseSeconds * 1_000);
  note('nothing_killed', await recovery(client, Date.now()));
  let kills = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const victim of victims) {
      await sleep(pauseSeconds * 1_000);
      faults.push(...(await raiseFallen(victims)));
      const killedAt = Date.now();
      await victim.kill();
      kills += 1;
      const back = sleep(DOWN_MS).then(() => startAgain(victim));
      const [recovered] = await Promise.all([recovery(client, killedAt), back]);
      note(victim.name, recovered);
    }
  }
  faults.push(...(await raiseFallen(victims)));
  return { counts: { ...counts, kills }, faults };
}

interface Recovery {
  readonly goalMs: number;
  readonly chatMs: number;
}

/** Returns the time from `since` until a goal given now is done, and until a message sent now is answered. */
async function recovery(client: ApiClient, since: number): Promise<Recovery> {
  const chat = new ChatClient(client);
  const goal = async (): Promise<void> => {
    const { id } = await untilItWorks(() => client.createGoal(`${PROBE} ${since}`));
    await client.until(id, 'done');
  };
  const message = async (): Promise<void> => {
    await untilItWorks(async () => {
      const { id } = await chat.create();
      const items = await chat.exchange(id, PROBE);
      if (!items.some(({ body }) => body.type === 'exchange.ended' && body.end === 'answered'))
        throw new Error('it was not answered');
    });
  };
  const timed = async (what: () => Promise<void>): Promise<number> => {
    await what();
    return Date.now() - since;
  };
  const [goalMs, chatMs] = await Promise.all([timed(goal), timed(message)]);
  return { goalMs, chatMs };
}

/** Retries an attempt that fails, as a person does. */
async function untilItWorks<T>(attempt: () => Promise<T>): Promise<T> {
  const until = Date.now() + RECOVERS_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(100);
    }
  }
}
