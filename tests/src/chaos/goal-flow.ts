import { setTimeout as sleep } from 'node:timers/promises';
import { GoalList, isTerminal } from '@aish/contracts/goals';
import type { ApiClient } from '../support/api.client.js';
import { eventually } from '../support/eventually.js';
import { chaosGoals, type ChaosGoal } from './chaos-goal.js';

/** No soak ever needs this many goals. */
const SUPPLY = 5_000;
const EVERY_MS = 300;

/** Gives goals of every kind, so that a certain number of them is always open. */
export class GoalFlow {
  /** The goals that the api accepted, by ID. */
  readonly given = new Map<string, ChaosGoal>();
  private readonly supply = chaosGoals(SUPPLY)[Symbol.iterator]();
  private readonly over = new Set<string>();
  /** Requests whose connection broke before a response. Their goals may or may not exist. */
  private readonly doubtful = new Map<string, ChaosGoal>();
  private isEnding = false;
  private giving: Promise<void> = Promise.resolve();

  constructor(private readonly client: ApiClient) {}

  begin(open: number): void {
    this.giving = this.give(open);
  }

  /** Gives no more goals, and waits until all goals have ended. */
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
