import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import {
  candidateOfItem,
  countPendingCandidates,
  decideCandidate,
  findCandidate,
  insertCandidate,
  listCandidates,
  contentsSeenBefore,
  type NewCandidate,
} from './memory-candidates.repository.js';

describe('memory candidates', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  const propose = (owner: string, content: string, more: Partial<NewCandidate> = {}) =>
    insertCandidate(db.statements, owner, {
      kind: 'fact',
      content,
      tags: ['a\0'],
      origin: 'output',
      source: null,
      duplicates: [],
      secrets: [],
      proposedBy: 'model',
      ...more,
    });

  it('waiting candidates are listed in the order of their proposals, separately for each owner', async () => {
    const [first, second] = [await propose('anna', 'one'), await propose('anna', 'two\0')];
    await propose('ben', 'other');
    expect(await listCandidates(db.statements, 'anna', 'pending', 10)).toEqual([first, second]);
    expect(second).toMatchObject({ content: 'two\uFFFD', tags: ['a\uFFFD'], state: 'pending', itemNumber: null });
    expect(await countPendingCandidates(db.statements, 'anna')).toBe(2);
    expect(await findCandidate(db.statements, 'ben', first.number)).toBeNull();
    expect(await listCandidates(db.statements, 'nobody', 'pending', 10)).toEqual([]);
  });

  it('only the owner can decide a candidate, and only once, even with parallel answers', async () => {
    const { number } = await propose('cleo', 'x');
    expect(await decideCandidate(db.statements, 'ben', number, { by: 'ben', itemNumber: 1 })).toBeNull();
    const given = await Promise.all(
      [7, 8, 9].map((itemNumber) => decideCandidate(db.statements, 'cleo', number, { by: 'cleo', itemNumber })),
    );
    const taken = given.filter((each) => each !== null);
    expect(taken).toMatchObject([{ state: 'accepted', decidedBy: 'cleo' }]);
    expect(await candidateOfItem(db.statements, 'cleo', taken[0]?.itemNumber ?? 0)).toMatchObject({ number });
    expect(await countPendingCandidates(db.statements, 'cleo')).toBe(0);
  });

  it('a candidate is not proposed again while it waits or after it was rejected', async () => {
    const [, no, yes] = [await propose('dora', 'open'), await propose('dora', 'no'), await propose('dora', 'yes')];
    await decideCandidate(db.statements, 'dora', no.number, { by: 'dora', itemNumber: null });
    await decideCandidate(db.statements, 'dora', yes.number, { by: 'dora', itemNumber: 3 });
    const given = ['Open', 'new', 'no.', ' yes'];
    expect(await contentsSeenBefore(db.statements, 'dora', given)).toEqual(expect.arrayContaining(['Open', 'no.']));
    expect(await contentsSeenBefore(db.statements, 'dora', ['new'])).toEqual([]);
    expect(await findCandidate(db.statements, 'dora', no.number)).toMatchObject({
      state: 'rejected',
      itemNumber: null,
    });
    expect(await candidateOfItem(db.statements, 'dora', 99)).toBeNull();
  });
});
