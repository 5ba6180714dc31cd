import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import {
  callerNamed,
  countOtherAdmins,
  countTokens,
  describeToken,
  findToken,
  insertToken,
  keepToken,
  listTokens,
  mustHold,
  projectsOfTokenName,
  revokeToken,
  takeToken,
  tokenNameTaken,
  touchToken,
} from './tokens.repository.js';

describe('tokens', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 2 });

  beforeEach(async () => {
    await db.statements.$executeRaw`delete from api_tokens`;
  });

  type Input = Parameters<typeof insertToken>[1];
  /** Adds a token whose hash is its ID. */
  async function token(name: string, input: Partial<Input> = {}): Promise<string> {
    const id = randomUUID();
    await insertToken(db.statements, { id, name, hash: id, scopes: ['operate'], ...input });
    return id;
  }
  const expire = (id: string) =>
    db.statements.$executeRaw`update api_tokens set expires_at = now() - interval '1 second' where id = ${id}::uuid`;

  it("a token is found by its hash, with its owner's memory and its projects", async () => {
    const plain = await token('plain');
    const named = await token('named', { owner: 'anna', scopes: ['observe', 'operate'], projects: ['garden'] });
    const app = await token('app', { app: { space: 'home', name: 'notes' } });
    expect(await findToken(db.statements, plain)).toEqual({
      id: plain,
      name: 'plain',
      scopes: ['operate'],
      owner: 'plain',
      app: null,
      projects: null,
    });
    expect(await findToken(db.statements, named)).toMatchObject({ owner: 'anna', projects: ['garden'] });
    // A token that is bound to an app and has no projects sees no project, not all projects.
    expect(await findToken(db.statements, app)).toMatchObject({ app: { space: 'home', name: 'notes' }, projects: [] });
    expect(await findToken(db.statements, 'another hash')).toBeNull();
  });

  it.each([
    ['has expired', expire],
    ['was revoked', (id: string) => revokeToken(db.statements, id)],
  ])('a token is invalid if it %s', async (_how, end) => {
    const id = await token('gone', { scopes: ['admin'] });
    await expect(mustHold(db.statements, id)).resolves.toMatchObject({ id, owner: 'gone', scopes: ['admin'] });
    await end(id);
    expect(await findToken(db.statements, id)).toBeNull();
    await expect(mustHold(db.statements, id)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await tokenNameTaken(db.statements, 'gone')).toBe(false);
    expect(await countOtherAdmins(db.statements, randomUUID())).toBe(0);
    expect(await countTokens(db.statements)).toBe(1);
  });

  it('mustHold refuses a token with an unknown ID', async () => {
    await expect(mustHold(db.statements, randomUUID())).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('a token is revoked once, and lasts the given number of days', async () => {
    const id = await token('days', { expiresInDays: 7 });
    const [listed] = await listTokens(db.statements);
    const lasts = Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.createdAt ?? '');
    expect(lasts).toBe(7 * 24 * 60 * 60_000);
    expect(await revokeToken(db.statements, id)).toBe(true);
    expect(await revokeToken(db.statements, id)).toBe(false);
    expect((await describeToken(db.statements, id))?.revokedAt).not.toBeNull();
  });

  it('countOtherAdmins counts the other valid admins', async () => {
    const [first] = [await token('a', { scopes: ['admin'] }), await token('b', { scopes: ['observe', 'admin'] })];
    await token('c');
    expect(await countOtherAdmins(db.statements, first)).toBe(1);
    expect(await countOtherAdmins(db.statements, randomUUID())).toBe(2);
  });

  it('the use of a token is recorded at most once a minute', async () => {
    const id = await token('used');
    const used = async () => (await describeToken(db.statements, id))?.lastUsedAt;
    expect(await used()).toBeNull();
    await touchToken(db.statements, id);
    const first = await used();
    await touchToken(db.statements, id);
    expect(await used()).toBe(first);
    await db.statements.$executeRaw`update api_tokens set last_used_at = now() - interval '61 seconds'`;
    const before = await used();
    await touchToken(db.statements, id);
    expect(Date.parse((await used()) ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
  });

  describe('several tokens with one name', () => {
    it('a token name refers to the valid token with that name, even if an older one was revoked', async () => {
      const old = await token('same', { owner: 'anna', projects: ['old'] });
      await revokeToken(db.statements, old);
      expect(await describeToken(db.statements, 'same')).toMatchObject({ id: old });
      const good = await token('same', { owner: 'ben', projects: ['new'] });
      expect(await describeToken(db.statements, 'same')).toMatchObject({ id: good });
      expect(await callerNamed(db.statements, 'same')).toEqual({ owner: 'ben', app: null });
      expect(await projectsOfTokenName(db.statements, 'same')).toEqual(['new']);
      expect(await describeToken(db.statements, old)).toMatchObject({ owner: 'anna' });
    });

    it('an unknown token name counts as its own owner, and sees all projects', async () => {
      expect(await callerNamed(db.statements, 'nobody')).toEqual({ owner: 'nobody', app: null });
      expect(await projectsOfTokenName(db.statements, 'nobody')).toBeNull();
      expect(await describeToken(db.statements, 'nobody')).toBeNull();
    });

    it("the name of an owner has the projects of that owner's token, and an app never sees all projects", async () => {
      await token('phone', { owner: 'anna', projects: ['garden'] });
      await token('bound', { app: { space: 'home', name: 'notes' } });
      expect(await projectsOfTokenName(db.statements, 'anna')).toEqual(['garden']);
      expect(await projectsOfTokenName(db.statements, 'bound')).toEqual([]);
      expect(await callerNamed(db.statements, 'bound')).toMatchObject({ app: { space: 'home', name: 'notes' } });
    });
  });

  describe('a token that is kept while everything else is replaced', () => {
    it('a kept token is restored unchanged', async () => {
      const id = await token('mine', { scopes: ['admin'], expiresInDays: 3 });
      const taken = await takeToken(db.statements, id);
      const before = await describeToken(db.statements, id);
      await db.statements.$executeRaw`delete from api_tokens`;
      if (taken !== null) await keepToken(db.statements, taken);
      expect(await describeToken(db.statements, id)).toMatchObject({
        name: 'mine',
        scopes: ['admin'],
        expiresAt: before?.expiresAt,
      });
    });

    it('a kept token is restored only once, and under another name if a newer token has its name', async () => {
      const id = await token('mine');
      const taken = await takeToken(db.statements, id);
      if (taken === null) throw new Error('it is not there');
      await db.statements.$executeRaw`delete from api_tokens`;
      await token('mine');
      await keepToken(db.statements, taken);
      await keepToken(db.statements, taken);
      expect((await listTokens(db.statements)).map(({ name }) => name).toSorted()).toEqual([
        'mine',
        `mine-${id.slice(0, 8)}`,
      ]);
    });

    it('takeToken returns null for an unknown ID', async () => {
      expect(await takeToken(db.statements, randomUUID())).toBeNull();
    });
  });
});
