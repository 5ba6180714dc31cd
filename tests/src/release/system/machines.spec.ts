import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList, type Goal } from '@aish/contracts/goals';
import { SessionSandbox } from '@aish/contracts/sandboxes';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { commandsOf } from '../../support/documented-commands.js';
import { eventually } from '../../support/eventually.js';
import type { Machine } from '../../support/machines.js';
import { plan, plans } from '../../support/plan.js';
import { ROOT } from '../../support/service.process.js';
import { startSshServer } from '../../support/ssh.server.js';
import { startTwoMachines, type TwoMachines } from '../../support/two-machines.js';

describe('aish on two machines', () => {
  let model: ScriptedModel;
  let both: TwoMachines;

  beforeAll(async () => {
    model = await startScriptedModel({
      host: '0.0.0.0',
      script: plans({
        halting: plan('CMD: mkdir mine', 'CMD: rm -rf nothing', 'CMD: ls', 'GOAL: complete'),
        counting: plan(
          'CMD: echo ran >> log; sleep 6; wc -l < log',
          'CMD: echo ran >> log; wc -l < log',
          'GOAL: complete',
        ),
      }),
    });
    both = await startTwoMachines(new URL(model.url).port);
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => both?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  const placeOf = async ({ sessionId }: Goal): Promise<string | null> =>
    (await both.client.json(SessionSandbox, 'GET', `/v1/sessions/${sessionId}/sandbox`)).sandbox;
  const outputsOf = async ({ id }: Goal): Promise<(string | undefined)[]> =>
    (await both.client.goal(id)).actions.map(({ outcome }) => outcome?.output);
  const halted = async (text: string): Promise<Goal> => {
    const goal = await both.client.createGoal(text);
    await both.client.decisionOf(goal.id);
    return goal;
  };
  /**
   * Gives goals with running commands, until each machine has at least one: a new goal goes to the less busy machine.
   */
  const runningOnEach = async (text: string): Promise<{ goals: readonly Goal[]; at: ReadonlyMap<string, Goal> }> => {
    const goals: Goal[] = [];
    const at = new Map<string, Goal>();
    while (at.size < 2 && goals.length < 8) {
      const goal = await both.client.createGoal(text);
      goals.push(goal);
      at.set(await eventually('it has a place', () => placeOf(goal)), goal);
    }
    expect([...at.keys()].toSorted()).toEqual(['default', 'second']);
    for (const { id } of goals) await eventually('its command runs', () => both.client.firstCommandRuns(id));
    return { goals, at };
  };
  const proceed = async ({ id }: Goal) => both.client.decide((await both.client.decisionOf(id)).id, 'proceed');
  const hasLost = () => both.worker.log.includes('keep the locks of goals');

  it(
    verifies('grow.machines'),
    async () => {
      const goals = [await halted('halting, one'), await halted('halting, another')];
      // The only worker runs on the second machine and runs both goals. One of the goals also runs its commands there.
      expect(await Promise.all(goals.map(placeOf))).toEqual(['default', 'second']);
      for (const goal of goals) {
        await proceed(goal);
        await both.client.until(goal.id, 'done');
        expect(await outputsOf(goal)).toEqual(['', '', 'mine\n']);
      }
    },
    60_000,
  );

  it(
    verifies('docs.tunnel'),
    async () => {
      const { first, second } = both.machines;
      const command = 'ssh -L 7717:127.0.0.1:7717 homelab';
      expect(commandsOf('deploy/compose/README.md')).toContain(command);
      // Without the tunnel, nothing listens on this port of the laptop.
      expect((await aishOn(second)).code).not.toBe(0);
      const homelab = await startSshServer(first, 'homelab');
      const configured = `ssh() { command ssh -F '${homelab.config}' "$@"; }; ${command}`;
      const ssh = spawn('ip', ['netns', 'exec', second.namespace, 'sh', '-c', configured], { stdio: 'pipe' });
      const ended = once(ssh, 'exit');
      try {
        const goals = await eventually('aish answers through it', async () => {
          const { code, stdout } = await aishOn(second);
          return code === 0 && stdout;
        });
        expect(GoalList.parse(JSON.parse(goals)).items.length).toBeGreaterThan(0);
        ssh.stdin.write('exit\n');
        expect(await ended).toEqual([0, null]);
        expect((await aishOn(second)).code).not.toBe(0);
      } finally {
        ssh.stdin.destroy();
        ssh.kill();
        await homelab.stop();
      }
    },
    90_000,
  );

  /** Runs `aish goals` as documented, on one of the machines. */
  async function aishOn({ namespace }: Machine): Promise<{ code: number | string; stdout: string }> {
    const command = `${process.execPath} ${ROOT}clients/cli/bin/aish.mjs`;
    const connection = `--url http://127.0.0.1:7717 --token-file ${both.tokenFile}`;
    const inside = ['netns', 'exec', namespace, 'sh', '-c', `${command} ${connection} goals --json`];
    return new Promise((resolve) => {
      execFile('ip', inside, { timeout: 30_000 }, (error, stdout) => {
        resolve({ code: error === null ? 0 : (error.code ?? String(error.signal)), stdout });
      });
    });
  }

  it(
    verifies('grow.link-cut'),
    async () => {
      const pending = await halted('halting, over the cut');
      const { goals } = await runningOnEach('counting, over the cut');
      expect(hasLost()).toBe(false);
      await both.machines.cut();
      // Only the silence tells the worker about the failure.
      await eventually('the worker has noticed', async () => hasLost());
      await proceed(pending);
      await both.machines.join();
      for (const goal of goals) {
        const { actions, stepsTaken, steps } = await both.client.until(goal.id, 'done');
        expect(actions.map(({ outcome }) => outcome?.output)).toEqual(['1\n', '2\n']);
        expect([stepsTaken, steps.length]).toEqual([3, 3]);
      }
      await both.client.until(pending.id, 'done');
      expect(await outputsOf(pending)).toEqual(['', '', 'mine\n']);
    },
    120_000,
  );

  it(
    verifies('grow.machine-lost'),
    async () => {
      const { goals, at } = await runningOnEach('counting, lost');
      const there = at.get('second');
      const here = at.get('default');
      if (here === undefined || there === undefined) throw new Error('There is no goal on each machine');
      // This acts like a power failure: the worker does not disconnect, and the database still sees a connection that
      // holds the goals.
      await both.machines.cut();
      await Promise.all([both.worker.kill('SIGKILL'), both.secondSandbox.kill('SIGKILL')]);
      await both.workerThere.start();
      await both.client.until(here.id, 'done');
      await both.client.until(there.id, 'waiting');
      await both.machines.join();
      await both.secondSandbox.start();
      for (const goal of goals) {
        await both.client.until(goal.id, 'done');
        expect(await outputsOf(goal)).toEqual(['1\n', '2\n']);
      }
    },
    180_000,
  );
});
