import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { dumpDatabase, type DumpedTable } from './dump.js';
import { restoreDatabase, type DumpContents } from './restore.js';

interface Saved extends DumpContents {
  readonly tables: readonly (readonly [DumpedTable, string])[];
}

const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function fresh(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

async function ask<T extends object>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function save(url: string): Promise<Saved> {
  return dumpDatabase(url, async ({ migrations, sequences, tables, copy }) => {
    const saved: [DumpedTable, string][] = [];
    for (const table of tables) saved.push([table, await text(copy(table))]);
    return { migrations, sequences, tables: saved };
  });
}

function restore(url: string, saved: Saved): Promise<void> {
  return restoreDatabase(url, saved, { disposable: ['audit'] }, async (into) => {
    for (const [table, rows] of saved.tables) await into(table, Readable.from([rows]));
  });
}

async function fill(url: string): Promise<string> {
  const id = randomUUID();
  await ask(url, `insert into sessions (id, kind, title) values ($1, 'chat', $2)`, [
    id,
    'tab\there, \\ and\nnew line ⚡',
  ]);
  await ask(url, `insert into audit (actor, action, subject, facts) values ('a', 'token.created', 's', '{"n": 1}')`);
  await ask(
    url,
    `insert into turns (session_id, seq, role, provenance, content) values ($1, 1, 'user', 'person', 'hello')`,
    [id],
  );
  return id;
}

describe('a dump', () => {
  it('a dump contains the database at one moment, and a restore brings back exactly that content', async () => {
    const [from, to] = [await fresh(), await fresh()];
    const id = await fill(from.url);
    const saved = await dumpDatabase(from.url, async ({ migrations, sequences, tables, copy }) => {
      await fill(from.url);
      const rows: [DumpedTable, string][] = [];
      for (const table of tables) rows.push([table, await text(copy(table))]);
      return { migrations, sequences, tables: rows };
    });
    await ask(to.url, `insert into audit (actor, action, subject, facts) values ('x', 'token.created', 's', '{}')`);
    await restore(to.url, saved);
    expect(await ask(to.url, 'select id, title from sessions')).toEqual([
      { id, title: 'tab\there, \\ and\nnew line ⚡' },
    ]);
    expect(await ask(to.url, 'select actor from audit')).toEqual([{ actor: 'a' }]);
    // Sequences continue after the restored numbers.
    await ask(to.url, `insert into audit (actor, action, subject, facts) values ('b', 'token.created', 's', '{}')`);
    expect(await ask(to.url, `select n::int from audit where actor = 'b'`)).toEqual([{ n: 2 }]);
    // Foreign keys are enforced after the restore.
    await expect(
      ask(
        to.url,
        `insert into turns (session_id, seq, role, provenance, content) values ($1, 1, 'user', 'person', 'x')`,
        [randomUUID()],
      ),
    ).rejects.toMatchObject({ code: '23503' });
  }, 60_000);

  it('a restore never overwrites existing data', async () => {
    const [from, to] = [await fresh(), await fresh()];
    await fill(from.url);
    const saved = await save(from.url);
    const id = await fill(to.url);
    await expect(restore(to.url, saved)).rejects.toMatchObject({ code: 'not_empty', facts: { table: 'sessions' } });
    expect(await ask(to.url, 'select id from sessions')).toEqual([{ id }]);
  }, 60_000);

  it('a failed restore of a broken dump leaves the database empty', async () => {
    const [from, to] = [await fresh(), await fresh()];
    await fill(from.url);
    const saved = await save(from.url);
    const orphaned = { ...saved, tables: saved.tables.filter(([{ name }]) => name !== 'sessions') };
    await expect(restore(to.url, orphaned)).rejects.toMatchObject({ code: '23503' });
    expect(await ask(to.url, 'select * from turns')).toEqual([]);
    await restore(to.url, saved);
    expect(await ask(to.url, 'select content from turns')).toEqual([{ content: 'hello' }]);
  }, 60_000);

  it('a restore survives a deadlock with a client while it empties tables', async () => {
    const [from, to] = [await fresh(), await fresh()];
    await fill(from.url);
    const saved = await save(from.url);
    const other = new Client({ connectionString: to.url });
    await other.connect();
    const locks = (granted: boolean) =>
      ask<{ name: string }>(
        to.url,
        `select c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
         where l.mode = 'AccessExclusiveLock' and l.granted = $1 and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
        [granted],
      );
    try {
      await other.query('begin; lock table turns in access share mode');
      const restored = restore(to.url, saved);
      while ((await locks(false)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      // The client waits for this connection, which now waits for the client.
      const [{ name } = { name: '' }] = await locks(true);
      await other.query(`lock table ${name} in access share mode`);
      await other.query('commit');
      await restored;
    } finally {
      await other.end();
    }
    expect(await ask(to.url, 'select content from turns')).toEqual([{ content: 'hello' }]);
  }, 60_000);

  it('a restore survives a deadlock with a client while it loads rows', async () => {
    const [from, to] = [await fresh(), await fresh()];
    await fill(from.url);
    const saved = await save(from.url);
    const other = new Client({ connectionString: to.url });
    await other.connect();
    // With this timeout Postgres ends the restore, not the client.
    await other.query(`set deadlock_timeout = '60s'`);
    let loads = 0;
    let waited: Promise<unknown> = Promise.resolve();
    try {
      await restoreDatabase(to.url, saved, { disposable: ['audit'] }, async (into) => {
        loads += 1;
        if (loads === 1) {
          await other.query('begin; lock table audit in exclusive mode');
          waited = other.query('lock table turns in access share mode').then(() => other.query('commit'));
        }
        for (const [table, rows] of saved.tables) await into(table, Readable.from([rows]));
      });
      await waited;
    } finally {
      await other.end();
    }
    expect([loads, await ask(to.url, 'select content from turns')]).toEqual([2, [{ content: 'hello' }]]);
  }, 60_000);

  it('a dump of a newer version is refused', async () => {
    const to = await fresh();
    const newer = { migrations: ['29990101000000_future'], sequences: [], tables: [] };
    await expect(restore(to.url, newer)).rejects.toMatchObject({ code: 'database_newer' });
  });
});
