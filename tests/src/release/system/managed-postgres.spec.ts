import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import pg from 'pg';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { plan } from '../../support/plan.js';
import { ROOT } from '../../support/service.process.js';
import { Stack } from '../../support/stack.js';
import { startTlsPostgres, type TlsPostgres } from '../../support/tls-postgres.js';

const run = promisify(execFile);

describe('aish with a managed Postgres', () => {
  let postgres: TlsPostgres;
  let model: ScriptedModel;
  let stack: Stack | undefined;

  beforeAll(async () => {
    postgres = await startTlsPostgres();
    model = await startScriptedModel({ script: plan('CMD: echo one', 'CMD: rm -rf x', 'GOAL: complete') });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => postgres?.drop(),
      ),
    60_000,
  );

  const migrator = (url: string) =>
    run(process.execPath, [`${ROOT}packages/database/dist/migrate.main.js`], {
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url },
      timeout: 60_000,
    });

  it(
    verifies(
      'grow.managed-postgres',
      'aish refuses a certificate of another authority or name, and a connection without TLS',
    ),
    async () => {
      await expect(migrator(postgres.url({ ca: postgres.stranger }))).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('certificate'),
      });
      await expect(migrator(postgres.url({ host: '127.0.0.1' }))).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining("does not match certificate's altnames"),
      });
      await expect(migrator(postgres.url({ mode: 'disable' }))).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no encryption'),
      });
    },
    60_000,
  );

  it(
    verifies('grow.managed-postgres'),
    async () => {
      const url = postgres.url();
      expect((await migrator(url)).stdout).toMatch(/applied \d+/);
      // Without Redis, queue and bus are in this database, too. The database is removed together with its server.
      stack = await Stack.start({ modelUrl: model.url, database: { url, drop: async () => undefined } });
      const { id } = await stack.client.createGoal('look around');
      await stack.client.decide((await stack.client.decisionOf(id)).id, 'proceed');
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map(({ outcome }) => outcome?.exitCode)).toEqual([0, 0]);
      const connections = await connectionsOf('aish');
      expect(connections.filter(({ ssl }) => !ssl)).toEqual([]);
      // BullMQ names its listeners after their queues.
      const ofQueue = ['aish queue', 'norris', 'schedules', 'embeddings'];
      const ofBus = ['aish bus (send)', 'aish bus (listen)'];
      expect(new Set(connections.map(({ name }) => name))).toEqual(
        new Set(['aish-api', 'aish-norris-worker', 'aish locks', ...ofQueue, ...ofBus]),
      );
      // These processes open their own connections.
      const ours = { url: stack.client.url, tokenFile: join(stack.dir, 'token') };
      expect(await aish(ours, ['backup', join(stack.dir, 'backup.tar.gz')])).toMatchObject({ code: 0 });
      expect(await aish(ours, ['doctor'])).toMatchObject({ code: 0 });
    },
    120_000,
  );

  async function connectionsOf(user: string): Promise<readonly { name: string; ssl: boolean }[]> {
    const client = new pg.Client({ connectionString: postgres.superuserUrl });
    await client.connect();
    try {
      const sql = `select a.application_name as name, s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid)
        where a.usename = $1`;
      return (await client.query<{ name: string; ssl: boolean }>(sql, [user])).rows;
    } finally {
      await client.end();
    }
  }
});
