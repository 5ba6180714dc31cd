import { ApiError } from '@aish/client/api.error';
import { Transport } from '@aish/client/transport';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { Answer, Endpoint, Sent } from '@aish/contracts/endpoint';
import { declares } from '@aish/contracts/endpoint-problems';
import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { isTerminal, type Goal, type GoalDetail } from '@aish/contracts/goals';
import type { z } from 'zod';
import { eventually } from './eventually.js';
import { commandSleeps } from './wake-command.js';

const TIMEOUT_MS = 30_000;

/** A client of aish that can also send raw requests that no client would send. */
export class ApiClient extends Transport {
  constructor(
    readonly url: string,
    readonly token: string | null,
  ) {
    super({ baseUrl: url, readToken: async () => token ?? '', timeoutMs: TIMEOUT_MS });
  }

  /** Also refuses errors that the endpoint does not declare, so that docs/api.md is complete. */
  override async call<const E extends Endpoint>(endpoint: E, sent: Sent<E>, signal?: AbortSignal): Promise<Answer<E>> {
    try {
      return await super.call(endpoint, sent, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'answered' || declares(endpoint, error.code)) throw error;
      const { method, path } = endpoint;
      throw new Error(`${method} ${path} does not declare the problem ${error.code}`, { cause: error });
    }
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  async json<S extends z.ZodType>(schema: S, method: string, path: string, body?: unknown): Promise<z.infer<S>> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return schema.parse(JSON.parse(text));
  }

  createGoal(text: string, more: { stepBudget?: number; preset?: string } = {}): Promise<Goal> {
    return this.call(goalsApi.create, { body: { text, ...more } });
  }

  goal(reference: string | number): Promise<GoalDetail> {
    return this.call(goalsApi.show, { params: { ref: reference } });
  }

  decide(reference: string | number, verdict: GiveVerdict['verdict'], message?: string): Promise<Decision> {
    const body = { verdict, ...(message ? { message } : {}) };
    return this.call(decisionsApi.decide, { params: { ref: reference }, body });
  }

  async pendingDecisions(): Promise<Decision[]> {
    return (await this.call(decisionsApi.list, {})).items;
  }

  /** Returns the pending decision of a goal, as soon as there is one. */
  decisionOf(goalId: string): Promise<Decision> {
    return eventually(`goal ${goalId} halts`, async () => {
      const goal = await this.goal(goalId);
      if (isTerminal(goal.state)) throw new Error(`ended instead: ${goal.state} ${goal.reason}`);
      return (await this.pendingDecisions()).find((decision) => decision.goalId === goalId);
    });
  }

  /**
   * Returns whether the goal's first command is in its `sleep`. `started` is recorded before the sandbox is asked, so a
   * worker that is killed in between leaves a command that nobody began, and such a command is lost by design.
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
