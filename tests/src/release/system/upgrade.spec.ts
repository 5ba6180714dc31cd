import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@aish/database/migrations/migrate';
import { createTestDatabase } from '@aish/database/testing';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import pg from 'pg';
import { verifies } from '../../requirements.js';
import { closeAll } from '../../support/close-all.js';
import { plan } from '../../support/plan.js';
import { ROOT } from '../../support/service.process.js';
import { Stack } from '../../support/stack.js';

type Row = Readonly<Record<string, unknown>>;

const FIRST_MIGRATION = '20261120000000_init';
/** The services of that release wrote this database: one goal is done, one has halted, and one is blocked. */
const FIXTURE = `${ROOT}tests/fixtures/upgrade/first-release.json`;
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['id'],
  goals: ['id'],
  turns: ['session_id', 'seq'],
  events: ['session_id', 'seq'],
  actions: ['id'],
  decisions: ['id'],
  api_tokens: ['id'],
};

describe('a database of the first release', () => {
  let before: Readonly<Record<string, readonly Row[]>>;
  let model: ScriptedModel;
  let stack: Stack | undefined;
  let client: pg.Client;

  beforeAll(async () => {
    before = JSON.parse(await readFile(FIXTURE, 'utf8'));
    const database = await createTestDatabase({ migrated: false });
    const dir = await mkdtemp(join(tmpdir(), 'aish-upgrade-'));
    await cp(`${ROOT}prisma/migrations/${FIRST_MIGRATION}`, join(dir, FIRST_MIGRATION), { recursive: true });
    await migrate(database.url, { migrationsDir: dir });
    await rm(dir, { recursive: true, force: true });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('begin; set local session_replication_role = replica');
    for (const [table, rows] of Object.entries(before)) {
      if (table === '_prisma_migrations') continue;
      const sql = `insert into "${table}" select * from jsonb_populate_recordset(null::"${table}", $1)`;
      await client.query(sql, [JSON.stringify(rows)]);
    }
    await client.query('commit');
    for (const table of ['goals', 'decisions']) {
      await client.query(`select setval(pg_get_serial_sequence('${table}', 'number'), max(number)) from ${table}`);
    }
    await migrate(database.url);
    model = await startScriptedModel({ script: plan('CMD: rm -rf other', 'GOAL: complete') });
    stack = undefined;
    // The services have their own token, besides the existing ones.
    const tokens = await client.query(`delete from api_tokens returning *`);
    stack = await Stack.start({ modelUrl: model.url, database, ownProcesses: true });
    await client.query(`insert into api_tokens select * from jsonb_populate_recordset(null::api_tokens, $1)`, [
      JSON.stringify(tokens.rows.map((row) => ({ ...row, name: 'of-before' }))),
    ]);
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => client?.end(),
        () => stack?.stop(),
        () => model?.close(),
      ),
    60_000,
  );

  it(verifies('upgrade.data'), async () => {
    for (const [table, keys] of Object.entries(KEYS)) {
      for (const row of before[table] ?? []) {
        const where = keys.map((key, n) => `x.${key}::text = $${n + 1}::text`).join(' and ');
        const { rows } = await client.query<{ row: Row }>(
          `select to_jsonb(x) as row from "${table}" x where ${where}`,
          keys.map((key) => String(row[key])),
        );
        const now = rows[0]?.row;
        if (now === undefined) throw new Error(`${table} ${keys.map((key) => row[key]).join(' ')} is gone`);
        // Values that no longer have a column are checked through the api below. The services may have changed these
        // columns since.
        const moved = ['updated_at', 'epoch', 'name', 'last_used_at'];
        const kept = Object.entries(row).filter(([name]) => name in now && !moved.includes(name));
        expect([table, Object.fromEntries(kept.map(([name]) => [name, now[name]]))]).toEqual([
          table,
          Object.fromEntries(kept),
        ]);
      }
    }
  });

  it(
    verifies('upgrade.goes-on'),
    async () => {
      if (stack === undefined) throw new Error('aish did not start');
      const { client: api } = stack;
      const done = await api.goal(1);
      expect([done.state, done.text, done.steps.map(({ n }) => n)]).toEqual(['done', 'tidy up', [1, 2, 3]]);
      expect(
        done.actions.map(({ state, outcome, ...action }) => [
          'command' in action && action.command,
          state,
          outcome?.output ?? null,
        ]),
      ).toEqual([
        ['mkdir old; touch old/a; ls old', 'finished', 'a\n'],
        ['rm -rf old', 'skipped', null],
      ]);
      expect(await api.goal(3)).toMatchObject({ state: 'blocked', text: 'give up' });
      const [decision] = await api.pendingDecisions();
      expect(decision).toMatchObject({ number: 2, action: 'rm -rf other', goalNumber: 2 });
      await api.decide(2, 'proceed');
      // The first release did not show the folder, so nobody can have approved it.
      const again = await api.decisionOf(String(decision?.goalId));
      expect(again.reason).toMatch(/^it is unknown in which folder this was approved: /);
      expect(again.executionContext).toMatchObject({ folder: '/workspace', variables: [] });
      await api.decide(again.number, 'proceed');
      const finished = await api.until(String(before['goals']?.find(({ number }) => number === 2)?.['id']), 'done');
      expect(finished.actions.map(({ state, outcome }) => [state, outcome?.exitCode])).toEqual([['finished', 0]]);
      expect((await api.createGoal('a new one')).number).toBe(4);
    },
    90_000,
  );

  it(
    verifies('upgrade.refuses-newer'),
    async () => {
      if (stack === undefined) throw new Error('aish did not start');
      const [worker] = stack.workers;
      if (worker === undefined) throw new Error('there is no worker');
      await client.query(
        `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
         values ('later', 'x', '29990101000000_later', now(), 1)`,
      );
      for (const service of [stack.api, worker]) {
        await service.kill('SIGTERM');
        await expect(service.start()).rejects.toThrow(
          'The database has migrations that this version does not know: 29990101000000_later',
        );
      }
      await client.query(`delete from _prisma_migrations where id = 'later'`);
      await Promise.all([stack.api.start(), worker.start()]);
      expect((await stack.client.goal(1)).state).toBe('done');
    },
    90_000,
  );
});
