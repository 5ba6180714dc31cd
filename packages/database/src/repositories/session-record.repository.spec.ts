import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Classification } from '@aish/contracts/safety';
import { OUTCOME as SUCCESS } from '@aish/contracts/testing/outcome';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { inTransaction } from '../transaction.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { findChat, insertChat } from './chats.repository.js';
import { listEvents } from './events.repository.js';
import { writeSessionRecord, type GoalPart, type SessionRecord } from './session-record.repository.js';
import { findGoal, lockGoal, raiseEpoch, supersedeRunner } from './goals.repository.js';
import { listActions, listSteps } from './steps.repository.js';
import { listTurns } from './turns.repository.js';

const OUTCOME: RunOutcome = { ...SUCCESS, output: 'out\0put' };
const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

describe('the record of a goal or a chat', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 8 });

  const PART: Omit<GoalPart, 'goalId'> = {
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
  };
  const EMPTY: Omit<SessionRecord, 'of'> = {
    epoch: null,
    answered: null,
    started: null,
    actions: [],
    turns: [],
    events: [],
  };

  it('the answer, actions and output of a step are stored with the start of the next step', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    const write = ({ progress = PART.progress, change = null, ...record }: Partial<SessionRecord & GoalPart>) =>
      writeSessionRecord(db.statements, { ...EMPTY, ...record, of: { ...PART, goalId, progress, change } });
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
      // One action is skipped at once, and one has an unknown result.
      actions: [{ id: refused, state: 'skipped' }],
      turns: [{ role: 'assistant', provenance: 'model', content: 'CMD: ls' }],
    });
    expect(await listActions(db.statements, sessionId)).toMatchObject([
      { id: ran, command: 'ls', state: 'pending', startedAt: null, endedAt: null },
      { id: refused, state: 'skipped', classification: null, endedAt: expect.any(String) },
    ]);
    await write({ actions: [{ id: ran, classification: SAFE, state: 'started' }] });
    await write({
      progress: { ...PART.progress, stepsTaken: 1, activeMs: 12.5 },
      actions: [{ id: ran, state: 'finished', outcome: OUTCOME, digest: 'd' }],
      turns: [{ role: 'output', provenance: 'tool', content: 'out\0put' }],
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
      { seq: 1, role: 'assistant', provenance: 'model', content: 'CMD: ls' },
      { seq: 2, role: 'output', provenance: 'tool', content: 'out\uFFFDput' },
    ]);
    expect(await findGoal(db.statements, goalId)).toMatchObject({
      state: 'running',
      reason: 'a reason',
      stepsTaken: 1,
      activeMs: 12.5,
    });
  });

  it('turns and events of a session have no gaps, despite parallel writers', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        writeSessionRecord(db.statements, {
          ...EMPTY,
          of: { ...PART, goalId },
          turns:
            n % 2 === 0
              ? [
                  { role: 'user', provenance: 'person', content: `a\0${n}` },
                  { role: 'tool', provenance: 'tool', content: 'b', meta: { toolCallId: 'c' } },
                ]
              : [],
          events: [{ type: 'step.started', goalId, step: n, stepBudget: 3 }],
        }),
      ),
    );
    const turns = await listTurns(db.statements, sessionId);
    expect(turns.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(turns[1]).toMatchObject({ role: 'tool', provenance: 'tool', content: 'b', meta: { toolCallId: 'c' } });
    expect(turns[0]?.content).toMatch(/^a\uFFFD\d+$/);
    expect((await listEvents(db.statements, sessionId, 0, 100)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  it('nothing of a record is written once the goal has another runner or a person has ended the goal', async () => {
    const { id: goalId, sessionId } = await newGoal(db);
    const first = await raiseEpoch(db.statements, goalId);
    const record = (epoch: number | undefined): SessionRecord => ({
      ...EMPTY,
      of: { ...PART, goalId },
      epoch: epoch ?? 0,
      started: 1,
      turns: [{ role: 'notice', provenance: 'aish', content: 'x' }],
      events: [{ type: 'step.started', goalId, step: 1, stepBudget: 3 }],
    });
    const second = await raiseEpoch(db.statements, goalId);
    await expect(writeSessionRecord(db.statements, record(first?.epoch))).rejects.toMatchObject({
      code: 'epoch_superseded',
    });
    let late: Promise<unknown> = Promise.resolve();
    await inTransaction(db, async (tx) => {
      await lockGoal(tx, goalId);
      await supersedeRunner(tx, goalId);
      late = writeSessionRecord(db.statements, record(second?.epoch)).catch((error: unknown) => error);
      await waitsForLock();
    });
    expect(await late).toMatchObject({ code: 'epoch_superseded' });
    expect(await listSteps(db.statements, sessionId)).toEqual([]);
    expect(await listTurns(db.statements, sessionId)).toEqual([]);
    expect(await listEvents(db.statements, sessionId, 0, 10)).toEqual([]);
  });

  it('the end of an answer in a chat contains the number of its turn, and the call returns what was stored', async () => {
    const sessionId = randomUUID();
    const settings = { autoContinue: false, confirmCommands: true, forkedFrom: null };
    await inTransaction(db, (tx) =>
      insertChat(tx, { id: sessionId, owner: 'p', title: 't', preset: 'fast', ...settings }),
    );
    const of = { sessionId, progress: { state: 'running', exchange: 1, rounds: 1 } } as const;
    const offered = [{ name: 'a' }];
    const first = await writeSessionRecord(db.statements, { ...EMPTY, of: { ...of, offered }, started: 1 });
    expect(first).toEqual({ turns: [], events: [] });
    const answer = { text: 'yes', reasoning: '', toolCalls: [], preset: 'fast', fallbackFrom: null, model: null };
    const { turns, events } = await writeSessionRecord(db.statements, {
      ...EMPTY,
      of: { ...of, progress: { state: 'idle', exchange: 1, rounds: 1 } },
      epoch: 0,
      answered: { n: 1, text: 'yes', model: null, usage: null, goalLine: null, notes: [], actions: [] },
      turns: [
        { role: 'notice', provenance: 'aish', content: 'n' },
        { role: 'assistant', provenance: 'model', content: 'yes' },
      ],
      events: [
        {
          type: 'answer.ended',
          exchange: 1,
          step: 1,
          turn: null,
          ...answer,
          end: 'whole',
          usage: null,
          firstWordMs: null,
          totalMs: 1,
          notes: [],
        },
        { type: 'exchange.ended', exchange: 1, end: 'answered', trouble: null },
      ],
    });
    expect(events.map(({ body }) => body)).toMatchObject([
      { type: 'answer.ended', turn: 2 },
      { type: 'exchange.ended' },
    ]);
    expect(events).toEqual(await listEvents(db.statements, sessionId, 0, 10));
    expect(turns).toEqual(await listTurns(db.statements, sessionId));
    expect(await findChat(db.statements, sessionId)).toMatchObject({ state: 'idle', offered });
    const late = { ...EMPTY, of, epoch: 1, started: 2 };
    await expect(writeSessionRecord(db.statements, late)).rejects.toMatchObject({ code: 'epoch_superseded' });
  });

  /** Resolves when a statement waits for the lock of a row. */
  async function waitsForLock(): Promise<void> {
    for (;;) {
      const { rows } = await db.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rows.length > 0) return;
    }
  }
});
