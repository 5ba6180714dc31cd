import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Goal } from '@aish/contracts/goals';
import { SessionSandbox } from '@aish/contracts/sandboxes';
import Docker from 'dockerode';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';

describe('two sandbox services behind one api', () => {
  const running = scriptedStack(
    plans({
      // The HALT lets the test look, and stop a service, between two commands.
      keep: plan('CMD: mkdir mine', 'CMD: rm -rf nothing', 'CMD: ls', 'GOAL: complete'),
      carry: plan('CMD: mkdir sub; cd sub; export X=carried', 'CMD: echo "at $PWD with [$X]"', 'GOAL: complete'),
    }),
    { hasSecondSandbox: true, quickRecovery: true },
  );

  const placeOf = async ({ sessionId }: Goal): Promise<SessionSandbox> =>
    SessionSandbox.parse(await (await running.stack.client.request('GET', `/v1/sessions/${sessionId}/sandbox`)).json());
  const outputsOf = async ({ id }: Goal): Promise<(string | undefined)[]> =>
    (await running.stack.client.goal(id)).actions.map(({ outcome }) => outcome?.output);
  const volumesOf = async (instance: string): Promise<string[]> => {
    const filters = { label: [`dev.aish.instance=${instance}`, 'dev.aish.workspace'] };
    return (await new Docker().listVolumes({ filters })).Volumes.map(({ Name }) => Name);
  };

  it(
    verifies('sandbox.several'),
    async () => {
      const first = await running.stack.client.createGoal('keep a file');
      await running.stack.client.until(first.id, 'halted');
      const other = await running.stack.client.createGoal('keep another file');
      await running.stack.client.until(other.id, 'halted');
      // The second sandbox is less busy.
      expect([(await placeOf(first)).sandbox, (await placeOf(other)).sandbox]).toEqual(['default', 'second']);
      // A volume is replaced with a new layer when nothing has it mounted. For a moment there is no volume.
      await eventually('each has its volume where it is', async () => {
        expect(await volumesOf(running.stack.instance)).toEqual([expect.stringContaining(first.sessionId)]);
        expect(await volumesOf(`${running.stack.instance}-2`)).toEqual([expect.stringContaining(other.sessionId)]);
        return true;
      });
      const ours = { url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') };
      expect((await aish(ours, ['file', 'list', String(other.number)])).stdout).toMatch(/ mine\/\n$/);

      // While its service is unavailable, a goal waits even if another service is available. The other goal continues.
      await running.stack.secondSandbox?.kill('SIGKILL');
      for (const goal of [other, first]) {
        await running.stack.client.decide((await running.stack.client.decisionOf(goal.id)).id, 'proceed');
      }
      await running.stack.client.until(first.id, 'done');
      await running.stack.client.until(other.id, 'waiting');
      expect(await outputsOf(first)).toEqual(['', '', 'mine\n']);
      await running.stack.secondSandbox?.start();
      await running.stack.client.until(other.id, 'done');
      expect(await outputsOf(other)).toEqual(['', '', 'mine\n']);
      expect((await placeOf(other)).sandbox).toBe('second');
    },
    120_000,
  );

  it(
    verifies('sandbox.carry-over'),
    async () => {
      const cli = async (...args: string[]) =>
        (await aish({ url: running.stack.client.url, tokenFile: join(running.stack.dir, 'token') }, args)).stdout;
      const outputOf = async (json: string) => {
        const { id } = JSON.parse(json) as Goal;
        await running.stack.client.until(id, 'done');
        return (await running.stack.client.goal(id)).actions.at(-1)?.outcome?.output;
      };
      const carrying = await cli('norris', 'carry on', '--json');
      expect(await outputOf(carrying)).toBe('at /workspace/sub with [carried]\n');
      expect(await outputOf(await cli('norris', 'carry nothing', '--fresh', '--json'))).toBe('at /workspace with []\n');
      const ref = String((JSON.parse(carrying) as Goal).number);
      expect(await cli('set', ref, '--carry-over', 'off')).toMatch(/^carry-over  off/);
      await eventually('it is shown', async () => (await cli('show', ref, '--access')).includes('carry-over  off'));
    },
    120_000,
  );
});
