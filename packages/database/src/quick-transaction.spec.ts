import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Goal } from '@aish/contracts';
import { connectDatabase, inTransaction, type Database } from './client.js';
import type { Tx } from './tx.js';
import { inQuickTransaction } from './quick-transaction.js';
import { findGoal, insertGoal, lockAsDriver, raiseEpoch } from './repositories/goals.repository.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';

describe('inQuickTransaction', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    db = connectDatabase(server.url, { max: 4 });
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  const newGoal = (transaction: (db: Database, fn: (tx: Tx) => Promise<Goal>) => Promise<Goal>) =>
    transaction(db, (tx) =>
      insertGoal(tx, {
        id: randomUUID(),
        sessionId: randomUUID(),
        text: 'x',
        preset: 'fast',
        stepBudget: 3,
        hostFolders: ['a', 'b c'],
        haltExpiry: { afterMs: 1_500, verdict: 'skip' },
        createdBy: 'p',
      }),
    );

  it('answers what inTransaction answers', async () => {
    const quick = await newGoal(inQuickTransaction);
    const slow = await newGoal(inTransaction);
    const alike = ({ id: _id, number: _n, sessionId: _s, createdAt, updatedAt, ...rest }: typeof quick) => ({
      ...rest,
      at: [typeof createdAt, typeof updatedAt],
    });
    expect(alike(quick)).toEqual(alike(slow));
    expect(await findGoal(db.statements, quick.id)).toEqual(quick);
    const rows = await Promise.all([
      inQuickTransaction(db, (tx) => raiseEpoch(tx, quick.id)),
      inTransaction(db, (tx) => raiseEpoch(tx, slow.id)),
    ]);
    expect(Object.entries(rows[0] ?? {}).map(([key, value]) => [key, typeof value])).toEqual(
      Object.entries(rows[1] ?? {}).map(([key, value]) => [key, typeof value]),
    );
  });

  it('leaves nothing of what fails, and gives its connection back', async () => {
    const { id } = await newGoal(inQuickTransaction);
    for (let n = 0; n < 10; n += 1) {
      const failing = inQuickTransaction(db, async (tx) => {
        await raiseEpoch(tx, id);
        await lockAsDriver(tx, id, 99);
      });
      await expect(failing).rejects.toMatchObject({ code: 'epoch_superseded' });
    }
    const broken = inQuickTransaction(db, (tx) => tx.$executeRaw`this is no sql`);
    await expect(broken).rejects.toThrow(/syntax error/);
    expect((await inQuickTransaction(db, (tx) => raiseEpoch(tx, id)))?.epoch).toBe(1);
  });
});
