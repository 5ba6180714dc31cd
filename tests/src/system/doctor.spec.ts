import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DoctorReport } from '@aish/contracts';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { plan } from '../support/plan.js';
import { Stack } from '../support/stack.js';

describe('aish doctor', () => {
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    model = await startScriptedModel({ script: plan('GOAL: complete') });
    stack = await Stack.start({ modelUrl: model.url });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  const examine = async () => {
    const result = await aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, ['doctor', '--json']);
    const { ok, checks } = DoctorReport.parse(JSON.parse(result.stdout));
    return {
      code: result.code,
      ok,
      states: Object.fromEntries(checks.map(({ name, state }) => [name, state])),
      checks,
    };
  };

  it(
    verifies('doctor.finds'),
    async () => {
      expect(await examine()).toMatchObject({
        code: 0,
        ok: true,
        states: { client: 'ok', database: 'ok', queue: 'ok', worker: 'ok', sandbox: 'ok', knowledge: 'off' },
      });
      await stack.sandbox.kill('SIGTERM');
      await model.close();
      const ill = await examine();
      expect(ill).toMatchObject({
        code: 1,
        ok: false,
        states: { database: 'ok', sandbox: 'error', 'model fast': 'error', 'model deep': 'error' },
      });
      for (const { state, advice } of ill.checks) if (state === 'error') expect(advice).toMatch(/\w{3,}/);
    },
    60_000,
  );
});
