import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '@aish/contracts/events';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { inTransaction } from '../transaction.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { appendEvents, lastEventSeq, listEvents, listGoalMessages, listUnheard } from './events.repository.js';
import { listOrphanedGoals, lockAsRunner, raiseEpoch, supersedeRunner } from './goals.repository.js';
import { writeSessionRecord, type GoalChange } from './session-record.repository.js';
import { appendTurn, listTurns } from './turns.repository.js';

const goalId = randomUUID();
const event = (step: number): EventBody => ({ type: 'step.started', goalId, step, stepBudget: 16 });

describe('the log of a session', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 10 });

  it('messages to a goal are unread until its model reads them, and the list then shows the time', async () => {
    const { sessionId } = await newGoal(db);
    const add = (...events: EventBody[]) => inTransaction(db, (tx) => appendEvents(tx, sessionId, events));
    const messageEvent = (text: string): EventBody => ({ type: 'goal.said', goalId, text, by: 'ann' });
    const seq = await add(messageEvent('not the NAS'), {
      type: 'goal.noticed',
      goalId,
      text: '[aish] the disk is full',
    });
    await add(event(1), messageEvent('and hurry'));
    expect((await listUnheard(db.statements, sessionId)).map(({ text }) => text)).toEqual(['not the NAS', 'and hurry']);
    await add({ type: 'goal.heard', goalId, said: seq });
    expect((await listUnheard(db.statements, sessionId)).map(({ text }) => text)).toEqual(['and hurry']);
    expect(await listGoalMessages(db.statements, sessionId)).toEqual([
      { by: 'ann', text: 'not the NAS', at: expect.any(String), readAt: expect.any(String) },
      { by: null, text: '[aish] the disk is full', at: expect.any(String), readAt: null },
      { by: 'ann', text: 'and hurry', at: expect.any(String), readAt: null },
    ]);
  });

  it('the messages of a goal have their own index', async () => {
    const { rows } = await db.pool.query(
      `select indexdef from pg_indexes where tablename = 'events' and indexname = 'events_said_idx'`,
    );
    expect(rows).toEqual([{ indexdef: expect.stringContaining('(session_id, seq) WHERE') }]);
  });

  it('events have no gaps or duplicates, despite parallel writers and rollbacks', async () => {
    const { sessionId } = await newGoal(db);
    const writes = Array.from({ length: 40 }, (_, n) =>
      inTransaction(db, async (tx) => {
        await appendEvents(tx, sessionId, [event(n), event(n)]);
        if (n % 5 === 0) throw new Error('rolled back');
      }).catch((error: unknown) => {
        if (!String(error).includes('rolled back')) throw error;
      }),
    );
    await Promise.all(writes);
    const events = await listEvents(db.statements, sessionId, 0, 1_000);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 64 }, (_, n) => n + 1));
    expect(await lastEventSeq(db.statements, sessionId)).toBe(64);
    expect((await listEvents(db.statements, sessionId, 60, 2)).map(({ seq }) => seq)).toEqual([61, 62]);
  });

  it('turns keep their order, and characters that Postgres cannot store are replaced', async () => {
    const { sessionId } = await newGoal(db);
    await inTransaction(db, async (tx) => {
      await appendTurn(tx, sessionId, { role: 'user', provenance: 'person', content: 'a' });
      await appendTurn(tx, sessionId, { role: 'output', provenance: 'tool', content: 'b\0c' });
    });
    expect(await listTurns(db.statements, sessionId)).toEqual([
      { seq: 1, role: 'user', provenance: 'person', content: 'a' },
      { seq: 2, role: 'output', provenance: 'tool', content: 'b\uFFFDc' },
    ]);
  });

  it('only the newest runner can write events, and no runner can after a person has ended the goal', async () => {
    const { id } = await newGoal(db);
    const first = await inTransaction(db, (tx) => raiseEpoch(tx, id));
    const second = await inTransaction(db, (tx) => raiseEpoch(tx, id));
    const write = (epoch: number | undefined) => inTransaction(db, (tx) => lockAsRunner(tx, id, epoch ?? 0));
    await expect(write(first?.epoch)).rejects.toMatchObject({ code: 'epoch_superseded' });
    await write(second?.epoch);
    await inTransaction(db, (tx) => supersedeRunner(tx, id));
    await expect(write(second?.epoch)).rejects.toMatchObject({ code: 'epoch_superseded' });
  });

  it('goals whose job may be lost are found, and waiting or ended goals are not', async () => {
    const states = ['queued', 'running', 'halted', 'done'] as const;
    const goals = await Promise.all(states.map(() => newGoal(db)));
    const late = await newGoal(db);
    const early = await newGoal(db);
    const set = { reason: null, waitingFor: null, summary: null, ended: false, wakeInMs: null };
    const progress = {
      stepBudget: 3,
      stepsTaken: 0,
      tokensUsed: 0,
      activeMs: 0,
      nudged: false,
      verified: false,
      checksFailed: 0,
      malformed: 0,
      toolDepth: 0,
      failures: 0,
    };
    await inTransaction(db, async (tx) => {
      const write = (goalId: string, change: GoalChange) =>
        writeSessionRecord(tx, {
          of: { goalId, progress, change, isProgress: false },
          epoch: null,
          answered: null,
          started: null,
          actions: [],
          turns: [],
          events: [],
        });
      for (const [n, state] of states.entries()) await write(goals[n]?.id ?? '', { ...set, state });
      const waiting = { ...set, state: 'waiting', waitingFor: 'model' } as const;
      await write(late.id, { ...waiting, wakeInMs: 60_000 });
      await write(early.id, { ...waiting, wakeInMs: 0 });
    });
    const found = (await listOrphanedGoals(db.statements, 0, 100)).map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([goals[0]?.id, goals[1]?.id, early.id]));
    for (const other of [goals[2], goals[3], late]) expect(found).not.toContain(other?.id);
  });
});
