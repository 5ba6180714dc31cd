import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startScriptedModel, type Reply, type ScriptedModel } from '@aish/demo-model';
import { closeAll } from '../../support/close-all.js';
import { verifies } from '../../requirements.js';
import { plan } from '../../support/plan.js';
import { freePort } from '../../support/service.process.js';
import { Stack } from '../../support/stack.js';

const GOOD = plan('CMD: echo hi', 'GOAL: complete');

/** A model endpoint whose first answers are bad, until `mend` is called. */
class SickModel {
  private sick: Reply | null = null;
  private model: ScriptedModel | null = null;

  constructor(readonly port: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(sick: Reply | null): Promise<void> {
    this.sick = sick;
    this.model ??= await startScriptedModel({
      port: this.port,
      script: (messages, n) => this.sick ?? GOOD(messages, n),
    });
  }

  /** Returns the times at which the model was asked for a goal. */
  asked(text: string): readonly number[] {
    return (this.model?.requests ?? []).filter(({ messages }) => messages[1]?.content === text).map(({ at }) => at);
  }

  mend(): void {
    this.sick = null;
  }

  async stop(): Promise<void> {
    await this.model?.close();
    this.model = null;
  }
}

describe('a goal whose model or sandbox is unavailable', () => {
  let model: SickModel;
  let stack: Stack;

  beforeAll(async () => {
    model = new SickModel(await freePort());
    stack = await Stack.start({
      modelUrl: model.url,
      quickRecovery: true,
      env: { PRESETS: '[{"name":"fast","idleTimeoutMs":1000,"totalTimeoutMs":10000}]' },
    });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.stop(),
      ),
    60_000,
  );

  it(
    verifies('goal.waits-for-model', 'a goal waits for an endpoint that is down'),
    async () => {
      await model.stop();
      const { id } = await stack.client.createGoal('endpoint down');
      const waiting = await stack.client.until(id, 'waiting');
      expect(waiting).toMatchObject({ waitingFor: 'model', reason: expect.stringContaining('model_unreachable') });
      await model.start(null);
      expect((await stack.client.until(id, 'done')).stepsTaken).toBe(2);
    },
    120_000,
  );

  it.each<[string, Reply, string]>([
    ['a stream of rubbish', { raw: 'data: {"choices": [{"delta"\n\n' }, 'model_bad_stream'],
    [
      'a stream that is cut',
      { raw: 'data: {"choices":[{"index":0,"delta":{"content":"CMD: rm"}}]}\n\n' },
      'model_bad_stream',
    ],
    ['an endpoint that hangs at once', { hang: 'beforeHeaders' }, 'model_timeout'],
    ['an endpoint that hangs half-way', { hang: 'midStream', text: 'CMD: rm -rf /' }, 'model_timeout'],
    ['a refusal', { status: 401, body: { error: { message: 'Invalid API Key', code: 401 } } }, 'model_refused'],
    [
      'an endpoint that is loading',
      { status: 503, body: { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } } },
      'model_loading',
    ],
  ])(
    verifies('goal.waits-for-model', '%s'),
    async (what, reply, code) => {
      await model.start(reply);
      const { id } = await stack.client.createGoal(what);
      const waiting = await stack.client.until(id, 'waiting');
      expect(waiting).toMatchObject({ waitingFor: 'model', reason: expect.stringContaining(code), stepsTaken: 0 });
      expect(waiting.actions).toEqual([]);
      model.mend();
      expect(await stack.client.until(id, 'done')).toMatchObject({ stepsTaken: 2, waitingFor: null });
    },
    120_000,
  );

  it(
    verifies('goal.rate-limit'),
    async () => {
      const body = { error: { message: 'Too many requests', code: 429 } };
      await model.start({ status: 429, headers: { 'retry-after': '3' }, body });
      const { id, sessionId } = await stack.client.createGoal('rate limited');
      const waiting = await stack.client.until(id, 'waiting');
      expect(waiting).toMatchObject({ waitingFor: 'model', reason: expect.stringContaining('429'), stepsTaken: 0 });
      // This is three times this worker's own wait.
      expect(Date.parse(waiting.wakeAt ?? '') - Date.parse(waiting.updatedAt)).toBe(3_000);
      const askedBefore = model.asked('rate limited');
      model.mend();
      expect(await stack.client.until(id, 'done')).toMatchObject({ stepsTaken: 2, waitingFor: null });
      const again = model.asked('rate limited')[askedBefore.length] ?? 0;
      expect(again - (askedBefore[0] ?? 0)).toBeGreaterThan(2_900);
      const database = new pg.Client({ connectionString: stack.database.url });
      await database.connect();
      try {
        const sql = `select payload from events where session_id = $1 and payload ->> 'state' = 'waiting'`;
        const { rows } = await database.query<{ payload: unknown }>(sql, [sessionId]);
        expect(rows.map(({ payload }) => payload)).toContainEqual(
          expect.objectContaining({ type: 'goal.changed', waitingFor: 'model', reason: waiting.reason }),
        );
      } finally {
        await database.end();
      }
    },
    120_000,
  );

  it(
    verifies('goal.waits-for-sandbox'),
    async () => {
      await model.start(null);
      await stack.sandbox.kill('SIGKILL');
      const { id } = await stack.client.createGoal('no sandbox');
      const waiting = await stack.client.until(id, 'waiting');
      expect(waiting).toMatchObject({ waitingFor: 'sandbox', reason: expect.stringContaining('sandbox_unreachable') });
      const health = await (await stack.client.request('GET', '/v1/health')).json();
      expect(health).toMatchObject({ status: 'degraded', checks: { sandbox: { ok: false } } });
      await stack.sandbox.start();
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions[0]?.outcome?.output).toBe('hi\n');
    },
    120_000,
  );
});
