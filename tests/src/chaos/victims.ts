import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRedis } from '@aish/queue/testing';
import type { MortalPostgres } from '../support/mortal.postgres.js';
import type { Stack } from '../support/stack.js';

/** A part that can be killed with SIGKILL and restarted. */
export interface Victim {
  readonly name: string;
  kill(): Promise<unknown>;
  start(): Promise<void>;
  /** False if the part has ended without being killed. */
  isRunning?(): boolean;
  /** Returns the end of the part's output. */
  lastLines?(): string;
}

const START_TRIES = 20;
const SAID_LINES = 12;

/** Returns every service of a stack, and the parts that they depend on. */
export function victimsOf(stack: Stack, redis: TestRedis | null, postgres: MortalPostgres): readonly Victim[] {
  return [
    ...stack.services.map((service) => ({
      name: service.name,
      kill: () => service.kill('SIGKILL'),
      start: () => service.start(),
      isRunning: () => service.isRunning,
      lastLines: () => service.log.trimEnd().split('\n').slice(-SAID_LINES).join('\n  '),
    })),
    ...(redis === null ? [] : [{ name: 'redis', kill: () => redis.kill(), start: () => redis.start() }]),
    { name: 'postgres', kill: () => postgres.kill(), start: () => postgres.start() },
  ];
}

/** Starts a part again. The parts that it depends on may have been killed before it. */
export async function startAgain(victim: Victim): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await victim.start();
    } catch (error) {
      if (tries === START_TRIES) throw error;
      await sleep(500);
    }
  }
}

/** Restarts parts that ended without being killed. @returns a fault for each of them */
export async function raiseFallen(victims: readonly Victim[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const each of victims) {
    if (each.isRunning?.() !== false) continue;
    faults.push(`${each.name} ended by itself:\n  ${each.lastLines?.()}`);
    await startAgain(each);
  }
  return faults;
}
