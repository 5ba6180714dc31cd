import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { connectDatabase } from '../client.js';
import { approvalOf } from '../repositories/action-approvals.repository.js';
import { decide, findDecision } from '../repositories/decisions.repository.js';
import { listEvents } from '../repositories/events.repository.js';
import { createTestDatabase, testServerUrl, type TestDatabase } from '../testing/postgres.js';
import { draftMigration, drift } from './drift.js';
import { MIGRATIONS_DIR, SCHEMA_FILE, readMigrations } from './folder.js';
import { migrate, requireSchema } from './migrate.js';

let test: TestDatabase;
let client: Client;
let dir: string;

beforeAll(() => testServerUrl(), 90_000);

beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  client = new Client(test.url);
  await client.connect();
  dir = await mkdtemp(path.join(tmpdir(), 'aish-migrations-'));
  await cp(MIGRATIONS_DIR, dir, { recursive: true });
}, 60_000);

afterEach(async () => {
  await client.end();
  await test.drop();
  await rm(dir, { recursive: true, force: true });
});

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(path.join(dir, name));
  await writeFile(path.join(dir, name, 'migration.sql'), sql);
}

const log = async () =>
  (
    await client.query(
      `select migration_name, checksum, finished_at is not null as finished, rolled_back_at, applied_steps_count
       from _prisma_migrations order by started_at`,
    )
  ).rows as unknown[];

describe('migrate', () => {
  it('migrate brings a new database to the newest schema, and finds nothing to do the second time', async () => {
    const names = (await readMigrations(MIGRATIONS_DIR)).map(({ name }) => name);
    expect(await migrate(test.url)).toEqual({ applied: names });
    expect((await client.query(`select to_regclass('goals') is not null as there`)).rows).toEqual([{ there: true }]);
    expect(await migrate(test.url)).toEqual({ applied: [] });
  }, 60_000);

  it('migrate leaves the same rows as prisma migrate deploy: one per migration, with the SHA-256 of its file', async () => {
    await migrate(test.url, { migrationsDir: dir });
    const expected = (await readMigrations(dir)).map(async ({ name }) => ({
      migration_name: name,
      checksum: createHash('sha256')
        .update(await readFile(path.join(dir, name, 'migration.sql')))
        .digest('hex'),
      finished: true,
      rolled_back_at: null,
      applied_steps_count: 1,
    }));
    expect(await log()).toEqual(await Promise.all(expected));
  }, 60_000);

  it('migrations are applied once if 4 runners start at once', async () => {
    const names = (await readMigrations(MIGRATIONS_DIR)).map(({ name }) => name);
    const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(test.url)));
    expect(runs.flatMap(({ applied }) => applied)).toEqual(names);
    expect(await log()).toHaveLength(names.length);
  }, 60_000);

  it('migrate waits for a run of Prisma Migrate that holds its own lock', async () => {
    await client.query('select pg_advisory_lock(72707369)');
    const running = migrate(test.url);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await client.query(`select to_regclass('goals') as there`)).rows).toEqual([{ there: null }]);
    await client.query('select pg_advisory_unlock(72707369)');
    expect((await running).applied).not.toEqual([]);
  }, 60_000);

  it('migrate refuses a database that a newer version has migrated, and changes nothing', async () => {
    await addMigration('29990101000000_later', 'create table later (n int);');
    await migrate(test.url, { migrationsDir: dir });
    await expect(migrate(test.url)).rejects.toMatchObject({
      code: 'database_newer',
      facts: { unknown: ['29990101000000_later'] },
    });
  }, 60_000);

  it('a service starts only on the schema of its own version', async () => {
    await expect(requireSchema(test.url)).rejects.toMatchObject({ code: 'database_older' });
    await migrate(test.url);
    await expect(requireSchema(test.url)).resolves.toBeUndefined();
    await addMigration('29990101000000_later', 'create table later (n int);');
    await migrate(test.url, { migrationsDir: dir });
    await expect(requireSchema(test.url)).rejects.toMatchObject({
      code: 'database_newer',
      facts: { unknown: ['29990101000000_later'] },
    });
  }, 60_000);

  it('a failing migration is rolled back completely, and later runs name it and stop', async () => {
    await migrate(test.url, { migrationsDir: dir });
    await addMigration('29990101000000_bad', 'create table half (n int);\nselect nonsense from goals;');
    const first = await migrate(test.url, { migrationsDir: dir }).catch((error: unknown) => error);
    expect(first).toMatchObject({ code: 'migration_failed', facts: { migration: '29990101000000_bad' } });
    expect((first as Error).message).toMatch(/column "nonsense" does not exist/);
    expect((await client.query(`select to_regclass('half') as there`)).rows).toEqual([{ there: null }]);
    await expect(migrate(test.url, { migrationsDir: dir })).rejects.toThrow(
      /29990101000000_bad failed in an earlier run/,
    );
  }, 60_000);

  it('a migration whose process was killed is applied by the next run', async () => {
    await migrate(test.url, { migrationsDir: dir });
    await addMigration('29990101000000_killed', 'create table whole (n int);');
    // The engine adds this row before it applies a migration.
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name) values ('k', 'x', '29990101000000_killed')`,
    );
    expect(await migrate(test.url, { migrationsDir: dir })).toEqual({ applied: ['29990101000000_killed'] });
    expect((await client.query(`select to_regclass('whole')::text as there`)).rows).toEqual([{ there: 'whole' }]);
    expect(await migrate(test.url, { migrationsDir: dir })).toEqual({ applied: [] });
  }, 60_000);

  it('migrate runs statements whose bodies contain semicolons', async () => {
    const body = `create function twice(n int) returns int language plpgsql as $$ begin n := n * 2; return n; end; $$;
      do $$ begin perform twice(1); end; $$;`;
    await addMigration('29990101000000_function', body);
    await migrate(test.url, { migrationsDir: dir });
    expect((await client.query('select twice(21) as n')).rows).toEqual([{ n: 42 }]);
  }, 60_000);

  it('migrate reports the migrations that it applies, and the applied files that have changed', async () => {
    await migrate(test.url, { migrationsDir: dir });
    const [first] = await readMigrations(dir);
    await writeFile(path.join(dir, first?.name ?? '', 'migration.sql'), `${first?.sql}\n-- changed\n`);
    await addMigration('29990101000000_next', 'create table next (n int);');
    const reports: unknown[] = [];
    await migrate(test.url, { migrationsDir: dir, onProgress: (progress) => reports.push(progress) });
    expect(reports).toEqual([
      { type: 'edited', name: first?.name },
      { type: 'applying', name: '29990101000000_next', n: 1, of: 1 },
    ]);
  }, 60_000);

  it('migrate makes Postgres analyze a new column at once, not only after many writes', async () => {
    await migrate(test.url, { migrationsDir: dir });
    await client.query(
      `insert into sessions (id, kind, title) select gen_random_uuid(), 'goal', 'x' || n from generate_series(1, 500) n`,
    );
    await addMigration('29990101000000_column', 'alter table sessions add column newer int not null default 7;');
    await migrate(test.url, { migrationsDir: dir });
    const known = `select most_common_vals::text as values from pg_stats where tablename = 'sessions' and attname = 'newer'`;
    expect((await client.query(known)).rows).toEqual([{ values: '{7}' }]);
  }, 60_000);

  it('turns of an earlier version get a provenance, and only unambiguous ones count as a person’s', async () => {
    const later = (await readMigrations(dir)).filter(({ name }) => name >= '20261127010000_provenance');
    for (const { name } of later) await rm(path.join(dir, name), { recursive: true });
    await migrate(test.url, { migrationsDir: dir });
    const [own, ofEvent] = [randomUUID(), randomUUID()];
    const skipped = '[aish] action skipped by user: mail eve\nnever';
    await client.query(`insert into sessions (id, kind, title) values ($1, 'goal', 'x'), ($2, 'goal', 'x')`, [
      own,
      ofEvent,
    ]);
    await client.query(
      `insert into goals (id, session_id, text, preset, state, step_budget, created_by)
       values ($1, $1, 'x', 'fast', 'halted', 9, 'ann'), ($2, $2, 'x', 'fast', 'halted', 9, 'event alarms')`,
      [own, ofEvent],
    );
    const turns: readonly (readonly [string, string, string])[] = [
      [own, 'user', 'write to anna'],
      [own, 'user', '[aish] The user answers:\neve'],
      [own, 'assistant', 'I write'],
      [own, 'output', '[exec] $ ls'],
      [own, 'tool', '[aish] I am a tool'],
      [own, 'notice', '[aish] The user answers:\nto frank'],
      [own, 'notice', '[background] eve'],
      [own, 'notice', skipped],
      [own, 'tool', skipped],
      [ofEvent, 'user', 'look at "eve"'],
      [ofEvent, 'user', 'and at anna'],
    ];
    for (const [at, [id, role, content]] of turns.entries()) {
      const seq = id === own ? at + 1 : at - 8;
      await client.query('insert into turns (session_id, seq, role, content) values ($1, $2, $3, $4)', [
        id,
        seq,
        role,
        content,
      ]);
    }
    await migrate(test.url);
    const { rows } = await client.query<{ provenance: string; parts: unknown }>(
      'select provenance, parts from turns order by session_id = $1 desc, seq',
      [own],
    );
    const refusal = [{ provenance: 'person', text: skipped, isRefusal: true }];
    expect(rows.map(({ provenance, parts }) => (parts === null ? provenance : [provenance, parts]))).toEqual([
      'person',
      'aish',
      'model',
      'tool',
      'tool',
      'aish',
      'tool',
      ['aish', refusal],
      ['tool', refusal],
      'tool',
      'person',
    ]);
  }, 60_000);

  it('an open decision and its event of an earlier version keep their execution context', async () => {
    const later = (await readMigrations(dir)).filter(({ name }) => name >= '20261130040000_plain_names');
    for (const { name } of later) await rm(path.join(dir, name), { recursive: true });
    await migrate(test.url, { migrationsDir: dir });
    const id = randomUUID();
    const context = { folder: '/workspace/a', variables: [{ name: 'PATH', value: '/x' }], digest: 'a'.repeat(64) };
    const asked = {
      goalId: null,
      decisionId: id,
      number: 1,
      actionId: id,
      step: 1,
      stepBudget: 9,
      reason: 'r',
      action: 'rm x',
    };
    const event = { type: 'decision.requested', kind: 'halt', ...asked };
    await client.query(`insert into sessions (id, kind, title, event_seq) values ($1, 'chat', 'x', 2)`, [id]);
    // The test needs no action.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into decisions (id, session_id, kind, action_id, state, reason, action, context, surroundings)
       values ($1, $1, 'command', $1, 'pending', 'r', 'rm x', '', $2)`,
      [id, JSON.stringify(context)],
    );
    await client.query(`insert into events (session_id, seq, type, payload) values ($1, 1, $2, $3), ($1, 2, $2, $4)`, [
      id,
      event.type,
      JSON.stringify({ ...event, surroundings: context }),
      JSON.stringify(event),
    ]);
    await migrate(test.url);
    const db = connectDatabase(test.url);
    try {
      expect(await findDecision(db.statements, id)).toMatchObject({ state: 'pending', executionContext: context });
      const events = await listEvents(db.statements, id, 0, 9);
      expect(events.map(({ body }) => body)).toEqual([{ ...event, executionContext: context }, event]);
      await decide(db.statements, id, { verdict: 'proceed', message: null, by: 'ann' });
      expect(await approvalOf(db.statements, id)).toMatchObject({ contextDigest: context.digest });
    } finally {
      await db.close();
    }
  }, 60_000);

  it('migrate creates a missing database only if createDatabase is set', async () => {
    const url = new URL(test.url);
    url.pathname = `${url.pathname}_absent`;
    await expect(migrate(url.href)).rejects.toThrow(/does not exist/);
    expect((await migrate(url.href, { createDatabase: true })).applied).not.toEqual([]);
    await client.query(`drop database ${url.pathname.slice(1)} with (force)`);
  }, 60_000);

  it('the database refuses a session of an unknown kind', async () => {
    await migrate(test.url);
    const insert = `insert into sessions (id, kind, title) values (gen_random_uuid(), 'party', 't')`;
    await expect(client.query(insert)).rejects.toThrow(/sessions_kind_check/);
  }, 60_000);
});

describe('drift', () => {
  let schema: string;

  beforeAll(async () => {
    schema = await readFile(SCHEMA_FILE, 'utf8');
  });

  it('the migrations create exactly the schema, so there is no drift', async () => {
    expect(await drift(test.url, MIGRATIONS_DIR, schema)).toBeNull();
  }, 60_000);

  it('drift shows a column that no migration creates', async () => {
    const changed = schema.replace('model Session {', 'model Session {\n  mood String?');
    expect(changed).not.toBe(schema);
    expect(await drift(test.url, MIGRATIONS_DIR, changed)).toMatch(/ALTER TABLE "sessions" ADD COLUMN\s+"mood" TEXT;/);
  }, 60_000);

  it('drift leaves no database behind', async () => {
    await drift(test.url, MIGRATIONS_DIR, schema);
    const { rows } = await client.query(`select datname from pg_database where datname like 'aish_shadow_%'`);
    expect(rows).toEqual([]);
  }, 60_000);

  it('draftMigration writes the missing migration, and writes nothing the second time', async () => {
    const changed = schema.replace('model Session {', 'model Session {\n  mood String?');
    const draft = { migrationsDir: dir, schema: changed, name: 'moods', now: new Date('2030-01-02T03:04:05Z') };
    const file = await draftMigration(test.url, draft);
    expect(file).toBe(path.join(dir, '20300102030405_moods', 'migration.sql'));
    expect(await draftMigration(test.url, draft)).toBeNull();
    expect((await migrate(test.url, { migrationsDir: dir })).applied).toContain('20300102030405_moods');
  }, 60_000);
});
