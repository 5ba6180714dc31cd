import { setTimeout as sleep } from 'node:timers/promises';
import { GoalList, isTerminal } from '@aish/contracts/goals';
import type { ApiClient } from '../support/api.client.js';
import { eventually } from '../support/eventually.js';
import { chaosGoals, type ChaosGoal } from './chaos-goal.js';

/** More than a soak ever gives. */
const SUPPLY = 5_000;
const EVERY_MS = 300;

/** Gives goals of every kind, so that a certain number of them is open at any time. */
export class GoalFlow {
  /** Goals that the api took, by id. */
  readonly given = new Map<string, ChaosGoal>();
  private readonly supply = chaosGoals(SUPPLY)[Symbol.iterator]();
  private readonly over = new Set<string>();
  /** Asked for, and the connection broke before an answer: they are there or not. */
  private readonly doubtful = new Map<string, ChaosGoal>();
  private isEnding = false;
  private giving: Promise<void> = Promise.resolve();

  constructor(private readonly client: ApiClient) {}

  begin(open: number): void {
    this.giving = this.give(open);
  }

  /** Gives no more, and waits until all have ended. */
  async end(timeoutMs: number): Promise<void> {
    this.isEnding = true;
    await this.giving;
    await eventually('every goal ends', async () => (await this.open()) === 0, { timeoutMs, everyMs: 500 });
  }

  private async give(most: number): Promise<void> {
    while (!this.isEnding) {
      try {
        if ((await this.open()) < most) await this.giveOne();
        else await sleep(EVERY_MS);
      } catch {
        await sleep(EVERY_MS); // the api is being killed
      }
    }
  }

  private async giveOne(): Promise<void> {
    const { value: goal } = this.supply.next();
    if (goal === undefined) throw new Error('GoalFlow: there are no more goals');
    try {
      this.given.set((await this.client.createGoal(goal.text, goal.more)).id, goal);
    } catch (error) {
      this.doubtful.set(goal.text, goal);
      throw error;
    }
  }

  private async open(): Promise<number> {
    if (this.doubtful.size > 0) {
      const { items } = await this.client.json(GoalList, 'GET', '/v1/goals?limit=500');
      for (const { id, text } of items) {
        const goal = this.doubtful.get(text);
        if (goal === undefined) continue;
        this.given.set(id, goal);
        this.doubtful.delete(text);
      }
    }
    for (const id of this.given.keys())
      if (!this.over.has(id) && isTerminal((await this.client.goal(id)).state)) this.over.add(id);
    return this.given.size - this.over.size;
  }
}
