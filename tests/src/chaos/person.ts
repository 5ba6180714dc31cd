import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api.client.js';
import type { ChaosGoal } from './chaos-goal.js';

/** The person: answers each question as its goal's script has it, until `signal` aborts. */
export async function answerAll(
  client: ApiClient,
  given: ReadonlyMap<string, ChaosGoal>,
  signal: AbortSignal,
): Promise<void> {
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
