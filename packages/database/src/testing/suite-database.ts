import { afterAll, beforeAll } from '@jest/globals';
import { connectDatabase, type Database } from '../client.js';
import { createTestDatabase, type TestDatabase } from './postgres.js';

interface SuiteOptions {
  readonly migrated?: boolean;
  /** The most connections at once. */
  readonly max?: number;
}

/** Creates a database before the tests of the suite that calls this, and drops it after them. */
export function openSuiteDatabase(
  opened: (db: Database) => void,
  { migrated = true, ...pool }: SuiteOptions = {},
): void {
  let made: TestDatabase | undefined;
  let db: Database | undefined;
  beforeAll(async () => {
    made = await createTestDatabase({ migrated });
    db = connectDatabase(made.url, pool);
    opened(db);
  }, 120_000);
  afterAll(async () => {
    await db?.close();
    await made?.drop();
  });
}
