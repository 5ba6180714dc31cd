import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { appendAudit, listAudit } from './audit.repository.js';
import {
  confirmSignIn,
  countSignIns,
  findSignIn,
  identifySignIn,
  insertSignIn,
  takeSignIn,
} from './sign-ins.repository.js';

let db: Database;
openSuiteDatabase((opened) => (db = opened), { max: 4 });

describe('a sign-in', () => {
  beforeEach(async () => {
    await db.statements.$executeRaw`delete from sign_ins`;
  });

  async function begin() {
    const [id, state] = [randomUUID(), randomUUID()];
    const row = { id, code: id.slice(0, 8), state, nonce: 'n', verifier: 'v' };
    await insertSignIn(db.statements, { ...row, secretHash: 'secret', minutes: 10 });
    return row;
  }
  const WHO = { name: 'anna', scopes: ['observe', 'decide'], confirmation: 'yes' } as const;
  const expire = () => db.statements.$executeRaw`update sign_ins set expires_at = now() - interval '1 second'`;

  it('a sign-in is identified, confirmed and taken in this order, and each of these only once', async () => {
    const begun = await begin();
    const { id, state } = begun;
    expect(await findSignIn(db.statements, state)).toEqual(begun);
    expect(await takeSignIn(db.statements, id, 'secret')).toBe('waiting');
    expect(await identifySignIn(db.statements, id, WHO)).toBe(true);
    expect(await identifySignIn(db.statements, id, { ...WHO, name: 'eve' })).toBe(false);
    expect(await findSignIn(db.statements, state)).toBeNull();
    expect(await takeSignIn(db.statements, id, 'secret')).toBe('waiting');
    expect(await confirmSignIn(db.statements, id, 'no')).toBe(false);
    expect(await confirmSignIn(db.statements, id, 'yes')).toBe(true);
    expect(await confirmSignIn(db.statements, id, 'yes')).toBe(false);
    const taken = await Promise.all([1, 2, 3].map(() => takeSignIn(db.statements, id, 'secret')));
    expect(taken.filter((each) => each !== null)).toEqual([{ name: 'anna', scopes: ['observe', 'decide'] }]);
  });

  it('a sign-in is not found with another secret', async () => {
    const { id } = await begin();
    expect(await takeSignIn(db.statements, id, 'another')).toBeNull();
    await identifySignIn(db.statements, id, WHO);
    await confirmSignIn(db.statements, id, 'yes');
    expect(await takeSignIn(db.statements, id, 'another')).toBeNull();
    expect(await takeSignIn(db.statements, id, 'secret')).toMatchObject({ name: 'anna' });
  });

  it('an expired sign-in cannot be used, and is deleted when the next one begins', async () => {
    const { id, state } = await begin();
    await identifySignIn(db.statements, id, WHO);
    expect(await countSignIns(db.statements)).toBe(1);
    await expire();
    expect(await findSignIn(db.statements, state)).toBeNull();
    expect(await confirmSignIn(db.statements, id, 'yes')).toBe(false);
    expect(await takeSignIn(db.statements, id, 'secret')).toBeNull();
    expect(await countSignIns(db.statements)).toBe(0);
    await begin();
    expect(await db.statements.$queryRaw`select id from sign_ins where id = ${id}::uuid`).toEqual([]);
  });

  it('a sign-in cannot be confirmed before the provider has identified the person', async () => {
    const { id } = await begin();
    expect(await confirmSignIn(db.statements, id, '')).toBe(false);
    expect(await takeSignIn(db.statements, id, 'secret')).toBe('waiting');
  });
});

describe('the audit log', () => {
  it('the audit log is read newest first, page by page and by kind', async () => {
    const write = (action: 'token.created' | 'token.revoked', subject: string) =>
      appendAudit(db.statements, { actor: 'anna\0', action, subject, facts: { note: 'a\0b' } });
    for (let n = 0; n < 4; n += 1) await write(n % 2 === 0 ? 'token.created' : 'token.revoked', `t${n}`);
    const page = await listAudit(db.statements, { limit: 2 });
    expect(page.map(({ subject }) => subject)).toEqual(['t3', 't2']);
    expect(page[0]).toMatchObject({ actor: 'anna\uFFFD', facts: { note: 'a\uFFFDb' } });
    const next = await listAudit(db.statements, { before: page[1]?.n, limit: 2 });
    expect(next.map(({ subject }) => subject)).toEqual(['t1', 't0']);
    const revoked = await listAudit(db.statements, { action: 'token.revoked', limit: 10 });
    expect(revoked.map(({ subject }) => subject)).toEqual(['t3', 't1']);
    expect(Number.isSafeInteger(page[0]?.n)).toBe(true);
  });
});
