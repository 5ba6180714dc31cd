import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { insertEvidence, listEvidence, listWholeEvidence } from './evidence.repository.js';
import { deleteSession } from './sessions.repository.js';
import { forgetStories } from './stories.repository.js';

describe('the evidence of hosts', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  const keep = async (sessionId: string, text: string) => {
    const read = { host: 'nas', command: 'docker restart web', subjects: ['container web'], failed: null };
    await insertEvidence(db.statements, { ...read, id: randomUUID(), sessionId, actionId: randomUUID(), text });
  };

  it('a session keeps its newest twenty entries of evidence, each cut to a maximum length', async () => {
    const { sessionId } = await newGoal(db);
    for (let n = 1; n <= 22; n += 1) await keep(sessionId, `text ${n}\0`);
    const kept = await listWholeEvidence(db.statements, sessionId);
    expect(kept.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `text ${n + 3}\uFFFD`));
    await keep(sessionId, 'x'.repeat(1_000_000));
    const newest = (await listEvidence(db.statements, sessionId)).at(-1);
    expect(newest).toMatchObject({ host: 'nas', subjects: ['container web'], failed: null, chars: 262_144 });
    expect(newest).not.toHaveProperty('text');
  });

  it('evidence is deleted with its session, and with the events of a goal that ended long ago', async () => {
    const [gone, old, young] = [await newGoal(db), await newGoal(db), await newGoal(db)];
    for (const { sessionId } of [gone, old, young]) await keep(sessionId, 'text');
    await deleteSession(db.statements, gone.sessionId);
    await db.pool.query(`update goals set ended_at = now() - interval '40 days' where session_id = $1`, [
      old.sessionId,
    ]);
    await db.pool.query(`update sessions set updated_at = now() - interval '40 days' where id = $1`, [old.sessionId]);
    expect(await forgetStories(db.statements, 30, 10)).toBe(1);
    const counts = await Promise.all(
      [gone, old, young].map(async ({ sessionId }) => (await listEvidence(db.statements, sessionId)).length),
    );
    expect(counts).toEqual([0, 0, 1]);
  });
});
