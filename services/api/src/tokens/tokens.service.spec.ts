import { beforeAll, describe, expect, it } from '@jest/globals';
import { listAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { findToken } from '@aish/database/tokens.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { TokensService, hashToken } from './tokens.service.js';

describe('TokensService', () => {
  let db: Database;
  let tokens: TokensService;

  openSuiteDatabase((opened) => (db = opened));
  beforeAll(async () => {
    tokens = new TokensService(db);
  }, 60_000);

  it('a new token is valid at once, and its creation is logged without the token itself', async () => {
    const made = await tokens.create('admin', { name: 'phone', scopes: ['decide', 'decide'] });
    expect(made.token).toMatch(/^aish_[\w-]{43}$/);
    expect(made).toMatchObject({ name: 'phone', scopes: ['decide'], expiresAt: null, revokedAt: null });
    expect(await findToken(db.statements, hashToken(made.token))).toMatchObject({ name: 'phone', scopes: ['decide'] });
    expect(JSON.stringify(await tokens.list())).not.toContain(made.token);
    expect(JSON.stringify(await listAudit(db.statements, { limit: 10 }))).not.toContain(made.token);
    expect(await listAudit(db.statements, { limit: 1 })).toMatchObject([
      { actor: 'admin', action: 'token.created', subject: 'phone' },
    ]);
  });

  it('only one valid token can have a given name, even if several are created at once', async () => {
    const tries = await Promise.allSettled(
      [1, 2, 3, 4].map(() => tokens.create('admin', { name: 'laptop', scopes: ['operate'] })),
    );
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    for (const each of tries) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'name_taken' });
    }
    await tokens.revoke('admin', 'laptop');
    expect(await tokens.create('admin', { name: 'laptop', scopes: ['observe'] })).toMatchObject({ revokedAt: null });
  });

  it('a token can be revoked by name or ID, and a second revocation changes nothing', async () => {
    const made = await tokens.create('admin', { name: 'old', scopes: ['observe'] });
    const revoked = await tokens.revoke('admin', 'old');
    expect(revoked.revokedAt).not.toBeNull();
    expect(await findToken(db.statements, hashToken(made.token))).toBeNull();
    expect((await tokens.revoke('admin', made.id)).revokedAt).toBe(revoked.revokedAt);
    const entries = await listAudit(db.statements, { action: 'token.revoked', limit: 10 });
    expect(entries.filter((entry) => entry.subject === 'old')).toHaveLength(1);
    await expect(tokens.revoke('admin', 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the last admin token cannot be revoked', async () => {
    const first = await tokens.create('setup', { name: 'root', scopes: ['admin'] });
    await expect(tokens.revoke('root', first.id)).rejects.toMatchObject({ code: 'last_admin' });
    await tokens.create('root', { name: 'root2', scopes: ['admin'], expiresInDays: 30 });
    expect(await tokens.revoke('root2', 'root')).toMatchObject({ name: 'root' });
  });

  it('an expired token is refused', async () => {
    const made = await tokens.create('admin', { name: 'brief', scopes: ['observe'], expiresInDays: 1 });
    await db.pool.query(`update api_tokens set expires_at = now() - interval '1 second' where id = $1`, [made.id]);
    expect(await findToken(db.statements, hashToken(made.token))).toBeNull();
    expect(await tokens.create('admin', { name: 'brief', scopes: ['observe'] })).toMatchObject({ name: 'brief' });
  });
});
