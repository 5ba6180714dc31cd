import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkRole } from '@aish/contracts/space-roles';
import { emptySpace } from '@aish/contracts/spaces';
import { Scope } from '@aish/contracts/tokens';
import { connectDatabase, type Database } from '../client.js';
import { newChat } from '../testing/new-sessions.js';
import { inTransaction } from '../transaction.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { acceptMessage } from './accept-message.repository.js';
import { findChat, lockChat } from './chats.repository.js';
import { applyEntryChanges, findShownBackground } from './memory-items.repository.js';
import { addToBackground, putBackground } from './memory-sessions.repository.js';
import { findSpaceOf, placeInSpace, writeSpace } from './spaces.repository.js';
import { insertToken, revokeToken } from './tokens.repository.js';
import { appendTurn, listTurns } from './turns.repository.js';

describe('messages to a chat', () => {
  let server: TestDatabase;
  let db: Database;
  let wide: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    // With one connection, every message uses the plan that the server cached for the first one.
    db = connectDatabase(server.url, { max: 1 });
    wide = connectDatabase(server.url);
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await wide?.close();
    await server?.drop();
  });

  const chat = (): Promise<string> => newChat(wide);

  async function token(parentId: string | null = null): Promise<string> {
    const id = randomUUID();
    await insertToken(wide.statements, {
      id,
      name: id,
      hash: id,
      scopes: ['operate'],
      ...(parentId !== null && { web: { parentId } }),
    });
    return id;
  }

  async function accept(id?: string, tokenId?: string, through = wide) {
    const message = { text: 'hi', by: 'p', title: 'hi', tokenId: tokenId ?? (await token()) };
    return acceptMessage(through, id ?? (await chat()), message);
  }

  it('a message is accepted even if a newer version has added a column', async () => {
    expect(await accept(undefined, undefined, db)).toMatchObject({
      chat: { exchange: 1, state: 'running', titled: true },
      step: 1,
    });
    await db.statements.$executeRaw`alter table chats add column newer int not null default 0`;
    expect(await accept(undefined, undefined, db)).toMatchObject({
      chat: { exchange: 1, state: 'running', titled: true },
      step: 1,
    });
  });

  it('accepting a message returns the same fields of the chat as reading the chat', async () => {
    const accepted = await accept();
    const read: object | null = await findChat(wide.statements, accepted?.chat.session_id ?? '');
    expect({ ...read, updated_at: 0, newer: 0 }).toEqual({ ...accepted?.chat, updated_at: 0, newer: 0 });
  });

  it('a message with a token that was revoked, has expired or never existed is refused and leaves nothing', async () => {
    const [revoked, expired, id] = [await token(), await token(), await chat()];
    await revokeToken(wide.statements, revoked);
    await wide.statements.$executeRaw`update api_tokens set expires_at = now() where id = ${expired}::uuid`;
    for (const bad of [revoked, expired, randomUUID()]) expect(await accept(id, bad)).toBeNull();
    expect(await findChat(wide.statements, id)).toMatchObject({ state: 'idle', exchange: 0, epoch: 0 });
    expect(await listTurns(wide.statements, id)).toEqual([]);
    expect(await accept(id, await token())).toMatchObject({ before: [], background: null, turn: { seq: 1 } });
  });

  it("a message with a browser's token is refused once the token that created it is invalid", async () => {
    const [revoked, expired, id] = [await token(), await token(), await chat()];
    const [first, second] = [await token(revoked), await token(expired)];
    await revokeToken(wide.statements, revoked);
    await wide.statements.$executeRaw`update api_tokens set expires_at = now() where id = ${expired}::uuid`;
    for (const bad of [first, second]) expect(await accept(id, bad)).toBeNull();
    expect(await accept(id, await token(await token()))).not.toBeNull();
  });

  it("a message is accepted exactly from the people whom checkRole allows to use the session's space", async () => {
    const names = ['general', 'home', 'lab'];
    await writeSpace(wide.statements, { ...emptySpace('lab'), users: ['ann', 'app-owner'], changedBy: 'p' });
    await writeSpace(wide.statements, { ...emptySpace('home'), users: [], changedBy: 'p' });
    const people = ['ann', 'bob', 'app-owner'].flatMap((owner) =>
      [['operate'], ['admin'], ['decide', 'operate'], ['app']].flatMap((scopes) =>
        [null, 'lab', 'general'].map((space) => ({
          owner,
          scopes: scopes.map((scope) => Scope.parse(scope)),
          app: space === null ? null : { space, name: 'app' },
        })),
      ),
    );
    const verdicts: boolean[] = [];
    for (const person of people) {
      const tokenId = randomUUID();
      await insertToken(wide.statements, {
        id: tokenId,
        name: tokenId,
        hash: tokenId,
        ...person,
        app: person.app ?? undefined,
      });
      for (const name of names) {
        const id = await chat();
        if (name !== 'general') await placeInSpace(wide.statements, id, emptySpace(name));
        const space = (await findSpaceOf(wide.statements, 'sessions', id)) ?? emptySpace('none');
        let isLet = true;
        try {
          checkRole(space, person, 'use');
        } catch {
          isLet = false;
        }
        verdicts.push(isLet);
        expect([name, person, (await accept(id, tokenId)) !== null]).toEqual([name, person, isLet]);
      }
    }
    expect([verdicts.length, verdicts.filter(Boolean).length]).toEqual([108, 45]);
  });

  it('accepting a message returns all earlier turns, even those that were written while it waited', async () => {
    const id = await chat();
    const tokenId = await token();
    const other = connectDatabase(server.url);
    try {
      const accepting = await inTransaction(other, async (tx) => {
        await lockChat(tx, id);
        await appendTurn(tx, id, { role: 'user', provenance: 'person', content: 'first' });
        await appendTurn(tx, id, { role: 'assistant', provenance: 'model', content: 'said', meta: { end: 'stopped' } });
        const waiting = accept(id, tokenId);
        await eventually(async () => {
          const [row] = await tx.$queryRaw<{ count: bigint }[]>`
            select count(*) from pg_locks where not granted and locktype in ('transactionid', 'tuple')`;
          return Number(row?.count) > 0;
        });
        return { waiting };
      });
      const accepted = await accepting.waiting;
      expect(accepted?.turn.seq).toBe(3);
      expect(accepted?.before).toEqual([
        { seq: 1, role: 'user', provenance: 'person', content: 'first' },
        { seq: 2, role: 'assistant', provenance: 'model', content: 'said', meta: { end: 'stopped' } },
      ]);
    } finally {
      await other.close();
    }
  });

  it("accepting a message returns the session's memory background exactly as other reads do", async () => {
    const id = await chat();
    const source = { sessionId: id, turn: 1, step: null, excerpt: 'said', model: null } as const;
    const [given] = await applyEntryChanges(
      wide.statements,
      'p',
      [{ type: 'add', item: { kind: 'fact', content: 'a "fact"\n', tags: ['x'], origin: 'typed', source, by: 'p' } }],
      1_000,
    );
    const numbers = [given?.number ?? 0];
    const asked = await chat();
    await addToBackground(wide.statements, asked, 'p', given?.number ?? 0);
    // The item was remembered before the session got its first background, so there is no background yet.
    expect((await accept(asked))?.background).toBeNull();
    await putBackground(wide.statements, id, 'p', { numbers, instructions: 'how' });
    const background = await findShownBackground(wide.statements, id);
    expect(background?.items).toHaveLength(1);
    expect((await accept(id))?.background).toEqual(background);
  });
});

async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('it never came to that');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
