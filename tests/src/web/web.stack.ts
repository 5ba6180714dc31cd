import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import type { Classification } from '@aish/contracts/safety';
import { connectDatabase, type Database } from '@aish/database/client';
import { recordEvents } from '@aish/database/events.repository';
import { createTestDatabase, type TestDatabase } from '@aish/database/testing';
import { openBus, type EventBus } from '@aish/queue';
import type { Browser } from 'playwright-core';
import { ApiClient } from '../support/api.client.js';
import { Visitor, openChromium, type WindowName } from '../support/browser.js';
import { closeAll } from '../support/close-all.js';
import { ServiceProcess, freePort } from '../support/service.process.js';

const CLASSIFICATION: Classification = {
  verdict: 'destructive',
  reason: 'rm -rf',
  ruleId: 'files.rm-recursive',
  span: [0, 6],
  by: 'rule',
};

export interface SeededGoal {
  readonly id: string;
  readonly number: number;
  readonly sessionId: string;
}

/**
 * Runs the api as a separate process with a real database, and a real browser. Tests write the events of goals into the
 * database.
 */
export class WebStack {
  private constructor(
    readonly api: ServiceProcess,
    readonly client: ApiClient,
    readonly browser: Browser,
    readonly db: Database,
    private readonly bus: EventBus,
    private readonly database: TestDatabase,
    private readonly dir: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<WebStack> {
    const [database, dir, port] = [
      await createTestDatabase(),
      await mkdtemp(join(tmpdir(), 'aish-web-')),
      await freePort(),
    ];
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      DATABASE_URL: database.url,
      // Nothing listens at this address, because commands are not tested here.
      SANDBOX_URL: 'http://127.0.0.1:1',
      FAST_BASE_URL: 'http://127.0.0.1:1',
      SANDBOX_TOKEN: randomBytes(24).toString('hex'),
      SAFETY_SECOND_OPINION: 'off',
      TOKEN_FILE: join(dir, 'token'),
      KNOWLEDGE_DIR: join(dir, 'kb'),
      LOG_LEVEL: 'info',
      PORT: String(port),
      ...env,
    };
    const api = new ServiceProcess('api', 'services/api/dist/bundle/main.js', settings, `${url}/app/`, {
      answers: true,
    });
    try {
      const [browser] = await Promise.all([openChromium(), api.start()]);
      const token = (await readFile(join(dir, 'token'), 'utf8')).trim();
      const bus = await openBus({ databaseUrl: database.url, onError: () => undefined });
      return new WebStack(api, new ApiClient(url, token), browser, connectDatabase(database.url), bus, database, dir);
    } catch (error) {
      await api.kill('SIGKILL');
      await database.drop();
      throw error;
    }
  }

  /** Opens a signed-in browser. */
  async visit(window: WindowName = 'desk', options: { colorScheme?: 'dark' | 'light' } = {}): Promise<Visitor> {
    const visitor = await Visitor.open(this.browser, this.client.url, window, options);
    await visitor.signIn(String(this.client.token));
    return visitor;
  }

  /** Opens a browser that is not signed in. */
  newcomer(): Promise<Visitor> {
    return Visitor.open(this.browser, this.client.url);
  }

  /** Creates a goal in the database with its events. */
  async goal(text: string, bodies: (goal: SeededGoal) => readonly EventBody[] = () => []): Promise<SeededGoal> {
    const [id, sessionId] = [randomUUID(), randomUUID()];
    const { pool } = this.db;
    await pool.query(`insert into sessions (id, kind, title) values ($1, 'goal', $2)`, [sessionId, text.slice(0, 100)]);
    const { rows } = await pool.query<{ number: number }>(
      `insert into goals (id, session_id, text, preset, state, step_budget, created_by)
       values ($1, $2, $3, 'fast', 'running', 16, 'admin') returning number`,
      [id, sessionId, text],
    );
    const goal = { id, sessionId, number: Number(rows[0]?.number) };
    await this.tell(goal, bodies(goal));
    return goal;
  }

  /** Stores events, and announces them on the bus as a runner does. */
  async tell({ id: goalId, sessionId }: SeededGoal, bodies: readonly EventBody[]): Promise<void> {
    if (bodies.length === 0) return;
    const events = await recordEvents(this.db.statements, sessionId, bodies);
    const types = bodies.map(({ type }) => type);
    await this.bus.publish({ type: 'events', sessionId, seq: events.at(-1)?.seq ?? 0, goalId, types });
    const last = bodies.findLast((body) => body.type === 'goal.changed');
    if (last?.type !== 'goal.changed') return;
    await this.db.pool.query('update goals set state = $2, summary = $3 where id = $1', [
      goalId,
      last.state,
      last.summary,
    ]);
  }

  /** Sends live events that are not stored, as a runner does during its work. */
  async live({ sessionId }: SeededGoal, body: LiveBody): Promise<void> {
    await this.bus.publish({ type: 'live', sessionId, body });
  }

  /** Creates a HALT of a waiting goal. @returns its number */
  async halt(
    goal: SeededGoal,
    action: string,
    { classification = CLASSIFICATION, context = '' }: { classification?: Classification; context?: string } = {},
  ): Promise<number> {
    const [actionId, id] = [randomUUID(), randomUUID()];
    const { pool } = this.db;
    await pool.query('insert into steps (session_id, n) values ($1, 1) on conflict do nothing', [goal.sessionId]);
    await pool.query(
      `insert into actions (id, session_id, step_number, n, kind, command, state)
       values ($1, $2, 1, (select coalesce(max(n), 0) + 1 from actions where session_id = $2), 'command', $3, 'halted')`,
      [actionId, goal.sessionId, action],
    );
    const { rows } = await pool.query<{ number: number }>(
      `insert into decisions (id, session_id, kind, goal_id, action_id, state, reason, classification, action, context,
         step_number, step_budget)
       values ($1, $2, 'halt', $3, $4, 'pending', $5, $6, $7, $8, 1, 16) returning number`,
      [id, goal.sessionId, goal.id, actionId, classification.reason, classification, action, context],
    );
    const number = Number(rows[0]?.number);
    await this.tell(goal, [
      {
        type: 'action.classified',
        goalId: goal.id,
        actionId,
        kind: 'command',
        step: 1,
        n: 1,
        command: action,
        classification,
      },
      {
        type: 'decision.requested',
        goalId: goal.id,
        decisionId: id,
        number,
        kind: 'halt',
        actionId,
        step: 1,
        stepBudget: 16,
        reason: String(classification.reason),
        action,
      },
      { type: 'goal.changed', goalId: goal.id, state: 'halted', reason: null, waitingFor: null, summary: null },
    ]);
    return number;
  }

  async stop(): Promise<void> {
    await closeAll(
      () => this.browser.close(),
      () => this.bus.close(),
      () => this.db.close(),
      () => this.api.kill('SIGTERM'),
      () => this.database.drop(),
      () => rm(this.dir, { recursive: true, force: true }),
    );
  }
}
