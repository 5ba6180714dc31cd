import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateGoal } from '@aish/contracts/goals';
import pg from 'pg';
import { connectDatabase, type Database } from '../client.js';
import { readMigrations, MIGRATIONS_DIR } from '../migrations/folder.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { insertChat } from './chats.repository.js';
import { findGoal, insertGoal } from './goals.repository.js';
import { findSchedule, insertSchedule } from './schedules.repository.js';
import { findSession } from './sessions.repository.js';
import { findSpaceOf } from './spaces.repository.js';
import { insertToken } from './tokens.repository.js';

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  db = connectDatabase(test.url, { max: 2 });
}, 60_000);
afterAll(async () => {
  await db?.close();
  await test?.drop();
});

/** Adds sessions like those from before spaces existed. */
async function begunBy(name: string) {
  const [chat, goal, schedule] = [randomUUID(), randomUUID(), randomUUID()];
  const tx = db.statements;
  const more = { title: null, preset: 'fast', autoContinue: false, confirmCommands: true, forkedFrom: null };
  await insertChat(tx, { id: chat, owner: name, ...more });
  const what = { text: 'look', preset: 'fast', stepBudget: 3, createdBy: name };
  await insertGoal(tx, { id: goal, sessionId: randomUUID(), ...what });
  const given = { goal: CreateGoal.parse({ text: 'look' }), cron: '0 3 * * *', timezone: 'UTC' };
  await insertSchedule(tx, { id: schedule, overlap: 'skip', createdBy: name, ...given });
  return async () => {
    const ofGoal = await findSpaceOf(tx, 'goals', goal);
    const found = [await findSession(tx, chat), await findGoal(tx, goal), (await findSchedule(tx, schedule))?.goal];
    return [...found.map((each) => each?.space), ofGoal?.name];
  };
}

describe('spaces', () => {
  it("the migration moves old sessions of an app to the app's space, and those of a person to general", async () => {
    const token = { scopes: ['operate'] as const, app: { space: 'home', name: 'watcher' } };
    await insertToken(db.statements, { id: randomUUID(), name: 'disks', hash: 'h', ...token });
    const [ofApp, ofPerson] = [await begunBy('disks'), await begunBy('alice')];
    const migration = (await readMigrations(MIGRATIONS_DIR)).find(({ name }) => name.endsWith('_app_spaces'));
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    try {
      await client.query(migration?.sql ?? '');
    } finally {
      await client.end();
    }
    expect(await ofApp()).toEqual(['home', 'home', 'home', 'home']);
    expect(await ofPerson()).toEqual(['general', 'general', undefined, 'general']);
  });
});
