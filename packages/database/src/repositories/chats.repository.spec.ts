import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, inTransaction, type Database } from '../client.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { acceptMessage, findChat, insertChat } from './chats.repository.js';
import { quickly } from '../quick-transaction.js';

describe('a message to a chat', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    // One connection, so that every message meets the plan that the server kept for the first.
    db = connectDatabase(server.url, { max: 1 });
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  async function accept() {
    const id = randomUUID();
    await inTransaction(db, (tx) =>
      insertChat(tx, {
        id,
        owner: 'p',
        title: null,
        preset: 'fast',
        autoContinue: false,
        confirmCommands: true,
        forkedFrom: null,
      }),
    );
    return acceptMessage(db, id, { text: 'hi', by: 'p', title: 'hi' });
  }

  it('is taken also when a newer version has added a column meanwhile', async () => {
    expect(await accept()).toMatchObject({ chat: { exchange: 1, state: 'running', titled: true }, step: 1 });
    await db.statements.$executeRaw`alter table chats add column newer int not null default 0`;
    expect(await accept()).toMatchObject({ chat: { exchange: 1, state: 'running', titled: true }, step: 1 });
  });

  it('gives the chat with all that is read of it otherwise', async () => {
    const accepted = await accept();
    const read: object | null = await findChat(quickly(db), accepted?.chat.session_id ?? '');
    expect({ ...read, updated_at: 0, newer: 0 }).toEqual({ ...accepted?.chat, updated_at: 0, newer: 0 });
  });
});
