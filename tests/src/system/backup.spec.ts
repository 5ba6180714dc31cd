import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Restored } from '@aish/contracts/backup';
import { FileList } from '@aish/contracts/files';
import { GoalList } from '@aish/contracts/goals';
import { TokenList } from '@aish/contracts/tokens';
import { connectDatabase } from '@aish/database/client';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import { aish } from '../support/aish.command.js';
import { closeAll } from '../support/close-all.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
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
      'a backup restores an empty aish after everything was destroyed, and an earlier HALT is answered',
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
      // The owner of a backup must not be able to sign links that give verdicts.
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
    verifies('backup.restore', 'a truncated or changed backup is refused, and changes nothing'),
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

describe('backups with held changes, and with files that cannot be saved', () => {
  let model: ScriptedModel;
  let dir: string;
  let stack: Stack | undefined;
  let file: string;
  /** This is larger than an upload may be. */
  const LARGE = 3 * 2 ** 20;
  const asFile = { 'content-type': 'application/octet-stream' };

  const run = (...args: string[]) => {
    if (stack === undefined) throw new Error('aish did not start');
    return aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, args);
  };
  const start = (n: number) =>
    Stack.start({ modelUrl: model.url, env: { KNOWLEDGE_DIR: join(dir, `knowledge-${n}`), FILES_MAX_MB: '1' } });
  const contentOf = async (client: ApiClient, sessionId: string, path: string) =>
    (await client.request('GET', `/v1/sessions/${sessionId}/files/file?path=${path}`)).text();

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-backup-held-'));
    file = join(dir, 'aish.tar.gz');
    model = await startScriptedModel({
      script: plans({
        over: plan('CMD: rm -f none', 'CMD: cp /etc/hostname old', 'CMD: cat old', 'GOAL: complete'),
        odd: plan(
          `CMD: mkdir shut && touch shut/in && mkfifo pipe && fallocate -l ${LARGE} large && chmod u= shut`,
          'GOAL: complete',
        ),
        away: plan('CMD: touch one', 'GOAL: complete'),
      }),
    });
    stack = await start(1);
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  it(
    verifies('backup.restore', 'after a restore, held changes are still held and can be kept or rolled back'),
    async () => {
      if (stack === undefined) throw new Error('aish did not start');
      const { client } = stack;
      const halted = async (text: string) => {
        const { id, number, sessionId } = await client.createGoal(text);
        const first = await client.decisionOf(id);
        await client.request('PUT', `/v1/sessions/${sessionId}/files/file?path=old`, 'precious', asFile);
        await client.decide(first.number, 'skip');
        const decision = await client.decisionOf(id);
        expect(decision).toMatchObject({ difference: { held: { overwritten: { files: 1, bytes: 8 } } } });
        return { id, number, sessionId, decision: decision.number };
      };
      const [dropped, kept] = [await halted('over: skip'), await halted('over: proceed')];
      expect(await run('backup', file, '--workspaces', 'all')).toMatchObject({ code: 0, stderr: '' });
      const tar = ['-xzOf', file, `workspaces/${dropped.sessionId}.tar`];
      const whole = execFileSync('tar', tar, { maxBuffer: 2 ** 30 });
      expect(execFileSync('tar', ['-xOf', '-', './old'], { input: whole, encoding: 'utf8' })).toBe('precious');
      await stack.stop();

      stack = await start(2);
      const second = stack.client;
      const restored = Restored.parse(JSON.parse((await run('restore', file, '--yes', '--json')).stdout));
      expect(restored).toMatchObject({ workspaces: 2, problems: [] });
      for (const { id, decision, sessionId } of [dropped, kept]) {
        expect(await second.goal(id)).toMatchObject({ state: 'halted' });
        expect(await contentOf(second, sessionId, 'old')).toBe('aish\n');
        await second.decide(decision, id === kept.id ? 'proceed' : 'skip');
        const { actions } = await second.until(id, 'done');
        expect(actions.at(-1)?.outcome?.output).toBe(id === kept.id ? 'aish\n' : 'precious');
      }
    },
    120_000,
  );

  it(
    verifies('backup.restore', 'a backup lists everything that cannot be saved, and contains everything else'),
    async () => {
      if (stack === undefined) throw new Error('aish did not start');
      const { client, database } = stack;
      const done = async (text: string) => {
        const { id, sessionId } = await client.createGoal(text);
        await client.until(id, 'done');
        return sessionId;
      };
      const [odd, away] = [await done('odd files'), await done('away by now')];
      const db = connectDatabase(database.url, { max: 1 });
      await db.pool.query(`update sessions set sandbox = 'nowhere' where id = $1`, [away]);
      await db.close();
      const saved = await run('backup', file, '--workspaces', 'all');
      expect(saved.code).toBe(5);
      expect(saved.stderr).toContain(`skipped: ${odd} pipe: it is a pipe\n`);
      expect(saved.stderr).toContain(`skipped: ${away}: The sandbox service nowhere`);
      expect(saved.stderr.match(/^skipped/gm)).toHaveLength(2);
      expect(await run('backup', file, '--verify')).toMatchObject({ code: 5, stderr: saved.stderr });
      await stack.stop();

      stack = await start(3);
      const restored = Restored.parse(JSON.parse((await run('restore', file, '--yes', '--json')).stdout));
      expect(restored).toMatchObject({ workspaces: 3, problems: [] });
      const list = await stack.client.json(FileList, 'GET', `/v1/sessions/${odd}/files`);
      expect(list.items).toMatchObject([
        { name: 'large', sizeBytes: LARGE },
        { name: 'shut', type: 'folder' },
      ]);
    },
    120_000,
  );
});
