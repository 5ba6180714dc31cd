import { randomUUID } from 'node:crypto';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../client.js';
import { inTransaction } from '../transaction.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { appendEvents, listEvents } from './events.repository.js';
import { findGoal, insertGoal } from './goals.repository.js';
import { writeSessionRecord } from './session-record.repository.js';
import { listActions, listSteps } from './steps.repository.js';
import { storable } from './storable.js';

const HOSTILE = 'a\0b\uD800c\uDC00d\\u0000😀';
const CLEAN = 'a\uFFFDb\uFFFDc\uFFFDd\\u0000😀';

describe('storable', () => {
  it('storable leaves valid text unchanged and makes any other text valid', () => {
    expect(storable(HOSTILE)).toBe(CLEAN);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => storable(text) === text.replaceAll('\0', '\uFFFD')),
    );
  });
});

describe('text that Postgres cannot store', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened));

  it('goals, steps, actions and events can be stored with any text', async () => {
    const [id, sessionId, actionId] = [randomUUID(), randomUUID(), randomUUID()];
    const outcome = { ...OUTCOME, output: HOSTILE };
    await inTransaction(db, async (tx) => {
      await insertGoal(tx, { id, sessionId, text: HOSTILE, preset: 'fast', stepBudget: 3, createdBy: 'p' });
      const record = { of: partOf(id), epoch: null, started: null, answered: null, actions: [], turns: [], events: [] };
      await writeSessionRecord(tx, { ...record, started: 1 });
      const goalLine = { kind: 'complete', summary: HOSTILE };
      const asked = [{ id: actionId, kind: 'command', command: HOSTILE } as const];
      const answered = { n: 1, text: HOSTILE, model: HOSTILE, usage: null, notes: [], goalLine, actions: asked };
      await writeSessionRecord(tx, { ...record, answered, actions: [{ id: actionId, state: 'finished', outcome }] });
      await appendEvents(tx, sessionId, [
        { type: 'action.finished', goalId: id, actionId, step: 1, kind: 'command', outcome, result: null },
        { type: 'step.answered', goalId: id, step: 1, text: HOSTILE, model: null, usage: null },
      ]);
    });
    expect((await findGoal(db.statements, id))?.text).toBe(CLEAN);
    expect((await listSteps(db.statements, sessionId))[0]?.text).toBe(CLEAN);
    expect((await listActions(db.statements, sessionId))[0]).toMatchObject({
      command: CLEAN,
      outcome: { output: CLEAN },
    });
    expect((await listEvents(db.statements, sessionId, 0, 10)).map(({ body }) => body)).toMatchObject([
      { outcome: { output: CLEAN } },
      { text: CLEAN },
    ]);
  });
});

function partOf(goalId: string) {
  const counts = {
    stepsTaken: 0,
    tokensUsed: 0,
    activeMs: 0,
    checksFailed: 0,
    malformed: 0,
    toolDepth: 0,
    failures: 0,
  };
  const progress = { stepBudget: 3, nudged: false, verified: false, ...counts };
  return { goalId, progress, change: null, isProgress: false };
}
