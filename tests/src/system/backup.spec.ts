import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Restored } from '@aish/contracts/backup';
import { GoalList } from '@aish/contracts/goals';
import { TokenList } from '@aish/contracts/tokens';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { aish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { plan } from '../support/plan.js';
import { Stack } from '../support/stack.js';

const PLAN = plan('CMD: mkdir precious', 'CMD: rm -rf precious', 'GOAL: complete tidy');

describe('backup and restore', () => {
  let model: ScriptedModel;
  let dir: string;
  let first: Stack | undefined;
  let second: Stack | undefined;

  const run = (stack: Stack, ...args: string[]) =>
    aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
  const start = (n: number) =>
    Stack.start({
      modelUrl: model.url,
      env: {
        KNOWLEDGE_DIR: join(dir, `knowledge-${n}`),
        BACKUP_DIR: join(dir, `backups-${n}`),
        BACKUP_WORKSPACES: 'all',
      },
    });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-backup-test-'));
    model = await startScriptedModel({ script: PLAN });
    first = await start(1);
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => first?.stop(),
        () => second?.stop(),
        () => model?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(
    verifies(
      'backup.restore',
      'everything is destroyed, a backup put into an empty aish, and a HALT of before is answered',
    ),
    async () => {
      if (first === undefined) throw new Error('aish did not start');
      const file = join(dir, 'aish.tar.gz');
      const goal = await first.client.createGoal('tidy');
      const decision = await first.client.decisionOf(goal.id);
      const remembered = await first.client.request('POST', '/v1/knowledge/nodes', {
        title: 'Where the backups are',
        summary: 'On the NAS',
        body: 'On the NAS, under aish.',
        types: ['observation'],
      });
      expect([remembered.status, remembered.ok ? '' : await remembered.text()]).toEqual([200, '']);
      const saved = await run(first, 'backup', file, '--workspaces', 'all');
      expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('knowledge, 1 workspaces') });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      // Whoever has a backup must not be able to sign links that decide.
      const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' });
      expect([names.includes('database/decisions.copy'), names.includes('signing_keys')]).toEqual([true, false]);
      await first.stop();
      first = undefined;

      second = await start(2);
      const restored = await run(second, 'restore', file, '--yes', '--json');
      expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, '']);
      expect(Restored.parse(JSON.parse(restored.stdout))).toMatchObject({
        knowledge: true,
        workspaces: 1,
        problems: [],
      });
      const again = await run(second, 'restore', file, '--yes');
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('not_empty')]);
      const { items } = await second.client.json(TokenList, 'GET', '/v1/tokens');
      expect(items).toHaveLength(2);

      const halted = await second.client.goal(goal.number);
      expect(halted).toMatchObject({ id: goal.id, state: 'halted', text: 'tidy' });
      const found = await second.client.request('GET', '/v1/knowledge/nodes?text=backups');
      expect(await found.text()).toContain('Where the backups are');
      await second.client.decide(decision.number, 'skip');
      await second.client.until(goal.id, 'done');
      const kept = await second.client.request('GET', `/v1/sessions/${goal.sessionId}/files`);
      expect(await kept.text()).toContain('precious');
    },
    120_000,
  );

  it(
    verifies('backup.restore', 'a backup that is cut off or changed is refused, and nothing is changed by it'),
    async () => {
      const whole = await readFile(join(dir, 'aish.tar.gz'));
      const cut = join(dir, 'cut.tar.gz');
      await writeFile(cut, whole.subarray(0, Math.floor(whole.length * 0.7)));
      const stack = second;
      if (stack === undefined) throw new Error('aish did not start');
      expect(await run(stack, 'backup', cut, '--verify')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('backup_broken'),
      });
      const client = new ApiClient(stack.client.url, stack.client.token);
      const response = await fetch(`${client.url}/v1/restore`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/gzip' },
        body: await readFile(cut),
      });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'backup_broken' }),
      ]);
      expect((await client.json(GoalList, 'GET', '/v1/goals')).items).toHaveLength(1);
    },
    60_000,
  );

  it(
    verifies('backup.schedule'),
    async () => {
      const folder = join(dir, 'backups-2');
      const names = await eventually('a backup is there', async () => {
        const found = (await readdir(folder)).filter((name) => name.endsWith('.tar.gz'));
        return found.length > 0 ? found : null;
      });
      expect(names).toHaveLength(1);
      const stack = second;
      if (stack === undefined) throw new Error('aish did not start');
      expect(await run(stack, 'backup', join(folder, names[0] ?? ''), '--verify')).toMatchObject({ code: 0 });
    },
    60_000,
  );
});
