import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api.client.js';
import type { ChaosGoal } from './chaos-goal.js';

/** Simulates the person, who answers each decision as its goal's script says, until `signal` aborts. */
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
      // The api is being killed before or after the verdict, so the decision is fetched again.
    }
    await sleep(300);
  }
}
