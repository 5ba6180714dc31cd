import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoalList } from '@aish/contracts/goals';
import { HostList } from '@aish/contracts/hosts';
import { SecretList } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { startJobs } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { JOBS, jobsModel } from '../../support/jobs.model.js';
import { Stack } from '../../support/stack.js';

/** Jobs on files and on machines. `npm run bench -- jobs` plays all of them. */
const SOME = ['log-flood', 'config-typo', 'single-file', 'failed-logins', 'zone-record'];
const RUN_MAX_MS = 600_000;

interface Result {
  readonly job: string;
  readonly attempt: number;
  readonly solved: boolean;
  readonly why: string;
  readonly secretsSeen: number;
  readonly said: readonly string[];
}

interface Record {
  readonly type: string;
  readonly result?: Result;
}

describe('jobs for models', () => {
  let models: ScriptedModel[] = [];
  let stack: Stack;
  let dir: string;
  /** Nothing listens at this address until a run is replayed. */
  let recorded: URL;

  beforeAll(async () => {
    const scripts = await Promise.all([jobsModel('reference'), jobsModel('wrong')]);
    models = await Promise.all(scripts.map((script) => startScriptedModel({ script })));
    dir = await mkdtemp(join(tmpdir(), 'aish-jobs-'));
    const taken = await startScriptedModel({ script: () => ({ text: '' }) });
    recorded = new URL(taken.url);
    await taken.close();
    const env = { CONFIRM_CMD: 'false', HOSTS_CA_KEY: 'the key of this suite that signs for hosts, long enough' };
    stack = await Stack.start({
      modelUrl: models[0]?.url ?? '',
      env: {
        ...env,
        DEEP_BASE_URL: models[1]?.url ?? '',
        PRESETS: JSON.stringify([{ name: 'recorded', baseUrl: recorded.origin }]),
      },
    });
  }, 300_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        ...models.map((model) => () => model.close()),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const jobs = (...args: string[]) =>
    startJobs(
      { url: stack.client.url, tokenFile: join(stack.dir, 'token') },
      [...args, '--jobs', JOBS],
      {},
      RUN_MAX_MS,
    );
  const record = async (name: string): Promise<Record[]> =>
    (await readFile(join(dir, name, 'record.jsonl'), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record);
  const results = async (name: string) => (await record(name)).flatMap(({ result }) => result ?? []);

  it(
    verifies('jobs.solved'),
    async () => {
      const out = join(dir, 'reference');
      const first = jobs('run', ...SOME, '--out', out);
      await eventually('two jobs have ended', async () => (await results('reference')).length >= 2, {
        timeoutMs: RUN_MAX_MS,
      });
      first.kill();
      await first.ended();
      const before = await results('reference');
      const { code, stderr } = await jobs('run', ...SOME, '--out', out).ended();
      expect(
        (await results('reference')).flatMap(({ solved, job, why }) => (solved ? [] : [`${job}: ${why}`])),
      ).toEqual([]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const after = await results('reference');
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.map(({ job }) => job).toSorted()).toEqual(SOME.toSorted());
      expect((await stack.client.json(HostList, 'GET', '/v1/hosts')).items).toEqual([]);
      expect(await readFile(join(out, 'page.html'), 'utf8')).toContain('5 of 5 jobs solved');
    },
    RUN_MAX_MS,
  );

  it(
    verifies('jobs.refused'),
    async () => {
      const out = join(dir, 'wrong');
      expect(await jobs('run', ...SOME, '--preset', 'deep', '--out', out).ended()).toMatchObject({ code: 5 });
      const more = join(dir, 'more');
      const given = ['pool-report', 'signed-manifest'];
      expect(await jobs('run', ...given, '--preset', 'deep', '--out', more).ended()).toMatchObject({ code: 5 });
      const played = [...(await results('wrong')), ...(await results('more'))];
      expect(played).toHaveLength(SOME.length + given.length);
      expect(played.flatMap(({ solved, job }) => (solved ? [job] : []))).toEqual([]);
    },
    RUN_MAX_MS,
  );

  it(
    verifies('jobs.again'),
    async () => {
      const names = ['pool-report', 'signed-manifest'];
      const run = (out: string, ...more: string[]) => jobs('run', ...names, '--out', join(dir, out), ...more).ended();
      expect(await run('given', '--seed', '7', '--repeats', '2')).toMatchObject({ code: 0 });
      const given = await results('given');
      expect(given).toHaveLength(4);
      expect(given.filter(({ secretsSeen }) => secretsSeen > 0)).toEqual([]);
      const seeds = models[0]?.requests.flatMap(({ body }) => (typeof body['seed'] === 'number' ? [body['seed']] : []));
      expect(new Set(seeds)).toEqual(new Set([7, 8]));
      expect((await stack.client.json(SecretList, 'GET', '/v1/secrets')).items).toEqual([]);

      const replay = jobs('replay', join(dir, 'given'), '--port', recorded.port);
      try {
        await replay.says(/2 jobs are answered as recorded/);
        await stack.client.json(Space, 'PATCH', '/v1/spaces/terse', { instructions: 'Say little.' });
        expect(await run('again', '--preset', 'recorded', '--space', 'terse')).toMatchObject({ code: 0 });
      } finally {
        replay.kill();
        await replay.ended();
      }
      const { items } = await stack.client.json(GoalList, 'GET', '/v1/goals?limit=500');
      expect(items.filter(({ space }) => space === 'terse')).toHaveLength(2);
      const firsts = async (name: string) =>
        Object.fromEntries(
          (await results(name)).flatMap(({ job, attempt, said }) => (attempt === 1 ? [[job, said]] : [])),
        );
      expect(await firsts('again')).toEqual(await firsts('given'));
    },
    RUN_MAX_MS,
  );

  it(
    verifies('jobs.read'),
    async () => {
      const shown = await Promise.all(
        [
          ['list', 'disk-full'],
          ['show', 'log-flood'],
        ].map(async (args) => (await jobs(...args).ended()).stdout),
      );
      expect(shown[0]).toContain('log-flood');
      expect(shown[1]).toContain('verify.sh');
      const plain = async (...args: string[]) => (await startJobs(null, args).ended()).stdout;
      expect(await plain('compare', join(dir, 'reference'), join(dir, 'wrong'))).toContain(
        'log-flood: solved 100 % before, 0 % now',
      );
      expect(await plain('card', join(dir, 'reference'))).toContain('solved 5 of 5 (100 %)');
      const endpoints = models.flatMap(({ url }) => ['--endpoint', url]);
      const table = await plain('first-answers', 'zone-record', 'core-dumps', '--seeds', '2', ...endpoints);
      const rows = table.trim().split('\n').slice(1);
      expect(rows.map((row) => row.trim().split(/ +/).slice(2, 5))).toEqual([
        ['4', '4', '0'],
        ['4', '4', '0'],
      ]);
    },
    RUN_MAX_MS,
  );
});
