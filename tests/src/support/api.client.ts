import { Decision, DecisionList } from '@aish/contracts/decisions';
import { Goal, GoalDetail, isTerminal } from '@aish/contracts/goals';
import type { z } from 'zod';
import { eventually } from './eventually.js';
import { commandSleeps } from './wake-command.js';

/** The api as a test sees it: plain requests, answers checked against the contracts. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly token: string | null,
  ) {}

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }

  async json<S extends z.ZodType>(schema: S, method: string, path: string, body?: unknown): Promise<z.infer<S>> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return schema.parse(JSON.parse(text));
  }

  createGoal(text: string, more: { stepBudget?: number; preset?: string } = {}): Promise<Goal> {
    return this.json(Goal, 'POST', '/v1/goals', { text, ...more });
  }

  goal(reference: string | number): Promise<GoalDetail> {
    return this.json(GoalDetail, 'GET', `/v1/goals/${reference}`);
  }

  decide(reference: string | number, verdict: string, message?: string): Promise<Decision> {
    return this.json(Decision, 'POST', `/v1/decisions/${reference}/verdict`, {
      verdict,
      ...(message ? { message } : {}),
    });
  }

  async pendingDecisions(): Promise<Decision[]> {
    return (await this.json(DecisionList, 'GET', '/v1/decisions')).items;
  }

  /** The pending decision of a goal, as soon as there is one. */
  decisionOf(goalId: string): Promise<Decision> {
    return eventually(`goal ${goalId} halts`, async () => {
      const goal = await this.goal(goalId);
      if (isTerminal(goal.state)) throw new Error(`ended instead: ${goal.state} ${goal.reason}`);
      return (await this.pendingDecisions()).find((decision) => decision.goalId === goalId);
    });
  }

  /**
   * Whether the goal's first command is in its `sleep`. `started` is written before the sandbox is asked, and a worker killed in
   * between leaves a command that nobody began, which is lost by design.
   */
  async firstCommandRuns(goalId: string): Promise<boolean> {
    const { sessionId, actions } = await this.goal(goalId);
    return actions[0]?.state === 'started' && (await commandSleeps(sessionId));
  }

  until(goalId: string, state: string): Promise<GoalDetail> {
    return eventually(`goal ${goalId} is ${state}`, async () => {
      const goal = await this.goal(goalId);
      if (goal.state === state) return goal;
      throw new Error(`it is ${goal.state}: ${goal.reason}`);
    });
  }
}
