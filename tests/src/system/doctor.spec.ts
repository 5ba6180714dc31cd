import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DoctorReport } from '@aish/contracts/doctor';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { plan } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';

describe('aish doctor', () => {
  const running = scriptedStack(plan('GOAL: complete'));

  const examine = async () => {
    const result = await aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, [
      'doctor',
      '--json',
    ]);
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
      await running.stack.sandbox.kill('SIGTERM');
      await running.model.close();
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
