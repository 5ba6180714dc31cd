import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { appendAudit } from './audit.repository.js';
import { checkAudit, sealAudit } from './audit-chain.repository.js';

describe('the chain of the audit log', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  it('the chain of the audit log reveals changed and removed entries', async () => {
    const write = (subject: string) =>
      appendAudit(db.statements, { actor: 'me', action: 'verdict.given', subject, facts: { verdict: 'skip' } });
    for (let n = 0; n < 5; n += 1) await write(`d-${n}`);
    await Promise.all([sealAudit(db), sealAudit(db)]);
    const first = await checkAudit(db.statements, null);
    expect(first).toMatchObject({ entries: 5, sealed: 5, brokenAt: null, knowsHead: null });
    await write('d-5');
    await sealAudit(db);
    expect(await checkAudit(db.statements, first.head)).toMatchObject({ sealed: 6, knowsHead: true, brokenAt: null });
    expect(await checkAudit(db.statements, 'f'.repeat(64))).toMatchObject({ knowsHead: false });

    await db.statements.$executeRaw`update audit set facts = '{"verdict":"proceed"}' where subject = 'd-2'`;
    expect(await checkAudit(db.statements, null)).toMatchObject({ brokenAt: 3 });
    await db.statements.$executeRaw`update audit set facts = '{"verdict":"skip"}' where subject = 'd-2'`;
    expect(await checkAudit(db.statements, null)).toMatchObject({ brokenAt: null });
    await db.statements.$executeRaw`delete from audit where subject = 'd-3'`;
    expect(await checkAudit(db.statements, null)).toMatchObject({ brokenAt: 5 });
  });
});
