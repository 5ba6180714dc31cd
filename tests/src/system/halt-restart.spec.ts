import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NewToken } from '@aish/contracts/tokens';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { startMortalPostgres, type MortalPostgres } from '../support/mortal.postgres.js';
import { plan } from '../support/plan.js';
import { Stack } from '../support/stack.js';

/** A bound against hangs: it takes about a second. */
const HANG_MS = 30_000;

describe('a HALT that is held while everything is restarted', () => {
  let model: ScriptedModel;
  let postgres: MortalPostgres;
  let stack: Stack;

  beforeAll(async () => {
    model = await startScriptedModel({
      script: plan('CMD: touch keep', 'CMD: rm -rf keep', 'CMD: ls', 'GOAL: complete'),
    });
    postgres = await startMortalPostgres();
    stack = await Stack.start({
      modelUrl: model.url,
      workers: 2,
      database: { url: postgres.url, drop: () => postgres.drop() },
    });
  }, 180_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop() ?? postgres?.drop(),
        () => model?.close(),
      ),
    60_000,
  );

  it(
    verifies('api.database-away'),
    async () => {
      await postgres.kill();
      const away = await stack.client.request('GET', '/v1/goals');
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await away.json()).toMatchObject({ code: 'database_unreachable' });
      await postgres.start();
      await eventually('the api answers again', async () => {
        const { status } = await stack.client.request('GET', '/v1/goals');
        return status === 200;
      });
      expect(stack.services.map(({ name, isRunning }) => [name, isRunning])).toEqual(
        stack.services.map(({ name }) => [name, true]),
      );
    },
    120_000,
  );

  it(
    verifies('halt.second-client'),
    async () => {
      const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', {
        name: 'phone',
        scopes: ['observe', 'decide'],
      });
      const { id } = await stack.client.createGoal('halting');
      const { number, action } = await stack.client.decisionOf(id);
      await Promise.all([postgres.kill(), ...stack.services.map((service) => service.kill('SIGKILL'))]);
      await postgres.start();
      await Promise.all(stack.services.map((service) => service.start()));

      const phone = new ApiClient(stack.client.url, token);
      expect(await phone.pendingDecisions()).toMatchObject([{ number, action, goalId: id }]);
      const answeredAt = Date.now();
      expect(await phone.decide(number, 'proceed')).toMatchObject({ verdict: 'proceed', decidedBy: 'phone' });
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual([
        ['finished', 0],
        ['finished', 0],
        ['finished', 0],
      ]);
      expect(goal.actions[2]?.outcome?.output).toBe('');
      expect(Date.parse(goal.actions[1]?.startedAt ?? '') - answeredAt).toBeLessThan(HANG_MS);
    },
    180_000,
  );
});
