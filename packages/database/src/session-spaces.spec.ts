import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptySpace } from '@aish/contracts/spaces';
import { connectDatabase, type Database } from './client.js';
import { placeInSpace } from './repositories/spaces.repository.js';
import { SessionSpaces } from './session-spaces.js';
import { newChat } from './testing/new-sessions.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';

describe('SessionSpaces', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    db = connectDatabase(server.url);
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  it('parallel requests for the space of a session cause one lookup', async () => {
    const id = await newChat(db);
    await placeInSpace(db.statements, id, { ...emptySpace('lab'), mcpServers: ['media'] });
    let asked = 0;
    const statements = new Proxy(db.statements, {
      get: (target, name, self) => {
        if (name === '$queryRaw') asked += 1;
        return Reflect.get(target, name, self);
      },
    });
    const spaces = new SessionSpaces({ statements });
    const found = await Promise.all([spaces.of(id), spaces.of(id), spaces.of(await newChat(db))]);
    expect(found).toEqual([
      { space: 'lab', servers: ['media'] },
      { space: 'lab', servers: ['media'] },
      { space: 'general', servers: null },
    ]);
    expect(await spaces.of(id)).toEqual(found[0]);
    const begun = randomUUID();
    spaces.know(begun, { space: 'lab', servers: null });
    expect(await spaces.of(begun)).toEqual({ space: 'lab', servers: null });
    expect(asked).toBe(2);
  });

  it('the space of a session is looked up again if the last lookup failed or found no session', async () => {
    const spaces = new SessionSpaces(db);
    const id = randomUUID();
    expect(await spaces.of(id)).toBeNull();
    await newChat(db, { id });
    expect(await spaces.of(id)).toMatchObject({ space: 'general' });

    const closed = connectDatabase(server.url);
    const given: { statements: Database['statements'] } = { statements: closed.statements };
    await closed.close();
    const later = new SessionSpaces(given);
    await expect(later.of(id)).rejects.toThrow(/pool|closed|end/);
    given.statements = db.statements;
    expect(await later.of(id)).toMatchObject({ space: 'general' });
  });
});
