import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { copyRefusals, insertRefusal, liftRefusals, listRefusals } from './refusals.repository.js';

describe('refusals', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  it('a session stores refusals and lifted paths, and the goal that follows gets a copy of both', async () => {
    const [{ sessionId }, next] = [await newGoal(db), await newGoal(db)];
    const refused = { step: 3, action: 'rm -rf logs', words: 'do not delete the logs', paths: ['/workspace/logs'] };
    await insertRefusal(db.statements, sessionId, refused);
    await liftRefusals(db.statements, sessionId, ['/workspace/logs/a.log']);
    const kept = { ...refused, lifted: ['/workspace/logs/a.log'] };
    expect(await listRefusals(db.statements, sessionId)).toEqual([kept]);
    expect(await listRefusals(db.statements, next.sessionId)).toEqual([]);
    await copyRefusals(db.statements, sessionId, next.sessionId);
    // The steps have other numbers in the next goal.
    expect(await listRefusals(db.statements, next.sessionId)).toEqual([{ ...kept, step: null }]);
  });
});
