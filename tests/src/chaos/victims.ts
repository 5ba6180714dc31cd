import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRedis } from '@aish/queue/testing';
import type { MortalPostgres } from '../support/mortal.postgres.js';
import type { Stack } from '../support/stack.js';

/** What can be killed with SIGKILL and started again. */
export interface Victim {
  readonly name: string;
  kill(): Promise<unknown>;
  start(): Promise<void>;
  /** False when it has ended without being killed. */
  isRunning?(): boolean;
  /** The end of what it said. */
  lastLines?(): string;
}

const START_TRIES = 20;
const SAID_LINES = 12;

/** Every service of a stack, and what they stand on. */
export function victimsOf(stack: Stack, redis: TestRedis, postgres: MortalPostgres): readonly Victim[] {
  return [
    ...stack.services.map((service) => ({
      name: service.name,
      kill: () => service.kill('SIGKILL'),
      start: () => service.start(),
      isRunning: () => service.isRunning,
      lastLines: () => service.log.trimEnd().split('\n').slice(-SAID_LINES).join('\n  '),
    })),
    { name: 'redis', kill: () => redis.kill(), start: () => redis.start() },
    { name: 'postgres', kill: () => postgres.kill(), start: () => postgres.start() },
  ];
}

/** Everything it depends on may have been killed before it. */
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

/** Those of them that have ended without being killed are started again. @returns a fault for each. */
export async function raiseFallen(victims: readonly Victim[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const each of victims) {
    if (each.isRunning?.() !== false) continue;
    faults.push(`${each.name} ended by itself:\n  ${each.lastLines?.()}`);
    await startAgain(each);
  }
  return faults;
}
