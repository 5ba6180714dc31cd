import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Classification, RunOutcome } from '@aish/contracts';
import { connectDatabase, type Database } from '../client.js';
import { inTransaction } from '../transaction.js';
import { newGoal } from '../testing/new-goal.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { listEvents } from './events.repository.js';
import { writeGoalRecord, type GoalRecord } from './goal-record.repository.js';
import { findGoal, lockGoal, raiseEpoch, supersedeDriver } from './goals.repository.js';
import { listActions, listSteps } from './steps.repository.js';
import { listTurns } from './turns.repository.js';

const OUTCOME: RunOutcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  output: 'out\0put',
  omittedBytes: 0,
};
const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

describe('the record of a goal', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    db = connectDatabase(server.url, { max: 8 });
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  const EMPTY: Omit<GoalRecord, 'goalId'> = {
    epoch: null,
    progress: {
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
    },
    change: null,
    isProgress: false,
    answered: null,
    started: null,
    actions: [],
    turns: [],
    events: [],
  };

  it('has a whole step in three statements: what was asked, judged, begun and ended, and the next step', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    const write = (record: Partial<GoalRecord>) => writeGoalRecord(db.statements, { ...EMPTY, ...record, goalId });
    await write({ started: 1 });
    const [ran, refused] = [randomUUID(), randomUUID()];
    await write({
      answered: {
        n: 1,
        text: 'CMD: ls',
        model: 'm',
        usage: null,
        goalLine: { kind: 'complete', summary: null },
        notes: ['noted'],
        actions: [
          { id: ran, kind: 'command', command: 'ls', isCheck: false },
          { id: refused, kind: 'tool', callId: 'c', tool: 't', label: 't', arguments: '{', readOnly: false },
        ],
      },
      // What becomes of an action at once, and what comes of none that is known.
      actions: [{ id: refused, state: 'skipped' }],
      turns: [{ role: 'assistant', content: 'CMD: ls' }],
    });
    expect(await listActions(db.statements, sessionId)).toMatchObject([
      { id: ran, command: 'ls', state: 'pending', startedAt: null, endedAt: null },
      { id: refused, state: 'skipped', classification: null, endedAt: expect.any(String) },
    ]);
    await write({ actions: [{ id: ran, classification: SAFE, state: 'started' }] });
    await write({
      progress: { ...EMPTY.progress, stepsTaken: 1, activeMs: 12.5 },
      actions: [{ id: ran, state: 'finished', outcome: OUTCOME, digest: 'd' }],
      turns: [{ role: 'output', content: 'out\0put' }],
      started: 2,
      change: { state: 'running', reason: 'a reason', waitingFor: null, summary: null, ended: false, wakeInMs: null },
    });
    expect((await listActions(db.statements, sessionId))[0]).toMatchObject({
      state: 'finished',
      classification: SAFE,
      outcome: { output: 'out\uFFFDput' },
      startedAt: expect.any(String),
      endedAt: expect.any(String),
    });
    expect(await listSteps(db.statements, sessionId)).toMatchObject([
      { n: 1, text: 'CMD: ls', model: 'm', notes: ['noted'], answeredAt: expect.any(String) },
      { n: 2, text: null, answeredAt: null },
    ]);
    expect(await listTurns(db.statements, sessionId)).toEqual([
      { seq: 1, role: 'assistant', content: 'CMD: ls' },
      { seq: 2, role: 'output', content: 'out\uFFFDput' },
    ]);
    expect(await findGoal(db.statements, goalId)).toMatchObject({
      state: 'running',
      reason: 'a reason',
      stepsTaken: 1,
      activeMs: 12.5,
    });
  });

  it('is gapless in turns and events, whoever writes at the same time', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        writeGoalRecord(db.statements, {
          ...EMPTY,
          goalId,
          turns:
            n % 2 === 0
              ? [
                  { role: 'user', content: `a\0${n}` },
                  { role: 'tool', content: 'b', meta: { toolCallId: 'c' } },
                ]
              : [],
          events: [{ type: 'step.started', goalId, step: n, stepBudget: 3 }],
        }),
      ),
    );
    const turns = await listTurns(db.statements, sessionId);
    expect(turns.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(turns[1]).toMatchObject({ role: 'tool', content: 'b', meta: { toolCallId: 'c' } });
    expect(turns[0]?.content).toMatch(/^a\uFFFD\d+$/);
    expect((await listEvents(db.statements, sessionId, 0, 100)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  it('is refused as a whole once the goal has another driver, also one that a person ends while it waits', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    const first = await raiseEpoch(db.statements, goalId);
    const record = (epoch: number | undefined): GoalRecord => ({
      ...EMPTY,
      goalId,
      epoch: epoch ?? 0,
      started: 1,
      turns: [{ role: 'notice', content: 'x' }],
      events: [{ type: 'step.started', goalId, step: 1, stepBudget: 3 }],
    });
    const second = await raiseEpoch(db.statements, goalId);
    await expect(writeGoalRecord(db.statements, record(first?.epoch))).rejects.toMatchObject({
      code: 'epoch_superseded',
    });
    let late: Promise<unknown> = Promise.resolve();
    await inTransaction(db, async (tx) => {
      await lockGoal(tx, goalId);
      await supersedeDriver(tx, goalId);
      late = writeGoalRecord(db.statements, record(second?.epoch)).catch((error: unknown) => error);
      await waitsForLock();
    });
    expect(await late).toMatchObject({ code: 'epoch_superseded' });
    expect(await listSteps(db.statements, sessionId)).toEqual([]);
    expect(await listTurns(db.statements, sessionId)).toEqual([]);
    expect(await listEvents(db.statements, sessionId, 0, 10)).toEqual([]);
  });

  /** Until a statement stands in line for a row. */
  async function waitsForLock(): Promise<void> {
    for (;;) {
      const { rows } = await db.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rows.length > 0) return;
    }
  }
});
