import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CreateGoal } from '@aish/contracts/goals';
import { connectDatabase, type Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.js';
import { inTransaction } from '../transaction.js';
import {
  breakGoal,
  editGoal,
  findGoal,
  goalBefore,
  hasScheduledGoal,
  insertGoal,
  listForgotten,
  listGoals,
  lockAsDriver,
  lockGoal,
  raiseEpoch,
  setGoalOffered,
  supersedeDriver,
} from './goals.repository.js';
import { findGrant, insertGrant, listGrants, revokeGrant, useGrant } from './grants.repository.js';
import {
  countSkipped,
  deleteSchedule,
  findSchedule,
  hasOpenGoal,
  insertSchedule,
  listSchedules,
  lockSchedule,
} from './schedules.repository.js';

let made: TestDatabase;
let db: Database;

beforeAll(async () => {
  made = await createTestDatabase();
  db = connectDatabase(made.url, { max: 4 });
}, 120_000);

afterAll(async () => {
  await db?.close();
  await made?.drop();
});

beforeEach(async () => {
  await db.statements.$executeRaw`truncate sessions, schedules cascade`;
});

const setState = (id: string, state: string) =>
  db.statements.$executeRaw`update goals set state = ${state} where id = ${id}::uuid`;

describe('goals', () => {
  it('are read as they were given, by id and by number', async () => {
    const given = {
      id: randomUUID(),
      sessionId: randomUUID(),
      text: 'find\0 it',
      preset: 'smart',
      stepBudget: 5,
      hostFolders: ['a', 'b c'],
      priority: 'high',
      verify: 'test -e it',
      tokenBudget: 1_000,
      timeBudgetMs: 2_500.5,
      haltExpiry: { afterMs: 1_500, verdict: 'skip' },
      createdBy: 'anna',
    } as const;
    const goal = await inTransaction(db, (tx) => insertGoal(tx, given));
    const { createdBy: _by, ...asked } = given;
    expect(goal).toMatchObject({ ...asked, text: 'find\uFFFD it', state: 'queued', stepsTaken: 0, verified: false });
    expect(await findGoal(db.statements, goal.id)).toEqual(goal);
    expect(await findGoal(db.statements, String(goal.number))).toEqual(goal);
    expect(await findGoal(db.statements, randomUUID())).toBeNull();
  });

  it('leave neither goal nor session behind when they cannot be written', async () => {
    const { id } = await newGoal(db);
    const sessionId = randomUUID();
    const again = { id, sessionId, text: 'x', preset: 'fast', stepBudget: 3, createdBy: 'p' };
    await expect(inTransaction(db, (tx) => insertGoal(tx, again))).rejects.toMatchObject({ code: '23505' });
    expect(await db.statements.$queryRaw`select 1 from sessions where id = ${sessionId}::uuid`).toEqual([]);
  });

  it('are listed by state, newest first', async () => {
    const [old, young] = [await newGoal(db), await newGoal(db)];
    await setState(old.id, 'halted');
    expect((await listGoals(db.statements, { archived: false, limit: 10 })).map(({ id }) => id)).toEqual([
      young.id,
      old.id,
    ]);
    expect(
      (await listGoals(db.statements, { state: 'halted', archived: false, limit: 10 })).map(({ id }) => id),
    ).toEqual([old.id]);
    expect(await listGoals(db.statements, { state: 'done', archived: false, limit: 10 })).toEqual([]);
  });

  it.each(['queued', 'running', 'waiting'])('have a driver while they are %s', async (state) => {
    const { id } = await newGoal(db);
    await setState(id, state);
    expect((await raiseEpoch(db.statements, id))?.epoch).toBe(1);
  });

  it.each(['halted', 'paused', 'done', 'failed', 'aborted', 'blocked'])('have none when %s', async (state) => {
    const { id } = await newGoal(db);
    await setState(id, state);
    expect(await raiseEpoch(db.statements, id)).toBeNull();
  });

  it('refuse their previous driver', async () => {
    const { id } = await newGoal(db);
    await raiseEpoch(db.statements, id);
    await expect(lockAsDriver(db.statements, id, 1)).resolves.toBeUndefined();
    await supersedeDriver(db.statements, id);
    await expect(lockAsDriver(db.statements, id, 1)).rejects.toMatchObject({ code: 'epoch_superseded' });
    expect(await lockGoal(db.statements, randomUUID())).toBeNull();
  });

  it('wait after an error that kept them from being loaded, and have failed after some in a row', async () => {
    const { id, sessionId } = await newGoal(db);
    const fail = () => breakGoal(db.statements, id, 'it broke\0', 2, 5_000);
    expect(await fail()).toEqual({ state: 'waiting', session_id: sessionId });
    const waiting = await findGoal(db.statements, id);
    expect(waiting).toMatchObject({ state: 'waiting', waitingFor: 'retry', reason: 'it broke\uFFFD', endedAt: null });
    expect(Date.parse(waiting?.wakeAt ?? '')).toBeGreaterThan(Date.parse(waiting?.updatedAt ?? ''));
    expect(await fail()).toEqual({ state: 'failed', session_id: sessionId });
    expect(await findGoal(db.statements, id)).toMatchObject({ waitingFor: null, endedAt: expect.any(String) });
    expect(await fail()).toBeNull();
  });

  it('change only in what a person gives', async () => {
    const { id } = await newGoal(db);
    await editGoal(db.statements, id, { verify: 'true' });
    expect(await findGoal(db.statements, id)).toMatchObject({ text: 'x', verify: 'true', priority: 'normal' });
    await editGoal(db.statements, id, { text: 'y', priority: 'low' });
    expect(await findGoal(db.statements, id)).toMatchObject({ text: 'y', verify: 'true', priority: 'low' });
    await editGoal(db.statements, id, { verify: null });
    expect(await findGoal(db.statements, id)).toMatchObject({ text: 'y', verify: null });
    await setGoalOffered(db.statements, id, [{ name: 't' }]);
    expect((await lockGoal(db.statements, id))?.offered).toEqual([{ name: 't' }]);
  });

  it('are forgotten when nobody touched them for a while, or when their pause is over', async () => {
    const [fresh, left, halted, woken, asleep] = await Promise.all(Array.from({ length: 5 }, () => newGoal(db)));
    const ids = [left, halted].map((goal) => goal?.id ?? '');
    await db.statements.$executeRaw`
      update goals set updated_at = now() - interval '1 hour' where id = any(${ids}::uuid[])`;
    await setState(halted?.id ?? '', 'halted');
    for (const [goal, at] of [
      [woken, new Date(0)],
      [asleep, new Date(Date.now() + 60_000)],
    ] as const) {
      await db.statements.$executeRaw`
        update goals set state = 'waiting', wake_at = ${at}::timestamptz where id = ${goal?.id}::uuid`;
    }
    const found = (await listForgotten(db.statements, 60_000, 10)).map(({ id }) => id);
    expect(found.toSorted()).toEqual([left, woken].map((goal) => goal?.id ?? '').toSorted());
    expect(found).not.toContain(fresh?.id);
  });
});

describe('schedules', () => {
  const GOAL = { text: 'tidy up', preset: 'fast', stepBudget: 4 };
  async function newSchedule(): Promise<string> {
    const id = randomUUID();
    const input = { id, cron: '0 3 * * *', timezone: 'Europe/Vienna', overlap: 'skip', createdBy: 'anna' } as const;
    await insertSchedule(db.statements, { ...input, goal: CreateGoal.parse(GOAL) });
    return id;
  }
  const give = (schedule: { readonly id: string; readonly key: string }) =>
    inTransaction(db, (tx) =>
      insertGoal(tx, { ...GOAL, id: randomUUID(), sessionId: randomUUID(), schedule, createdBy: 'anna' }),
    );

  it('are read with the goal that they give, and the last one they gave', async () => {
    const id = await newSchedule();
    expect(await findSchedule(db.statements, id)).toMatchObject({
      id,
      cron: '0 3 * * *',
      timezone: 'Europe/Vienna',
      overlap: 'skip',
      goal: GOAL,
      skipped: 0,
      lastGoalNumber: null,
    });
    const goal = await give({ id, key: 'one' });
    const [listed] = await listSchedules(db.statements);
    expect(listed?.lastGoalNumber).toBe(goal.number);
    expect(await findSchedule(db.statements, String(listed?.number))).toEqual(listed);
    expect(await findSchedule(db.statements, randomUUID())).toBeNull();
  });

  it('give each moment once, also when two workers see it at once', async () => {
    const id = await newSchedule();
    const given = await Promise.allSettled([give({ id, key: 'moment' }), give({ id, key: 'moment' })]);
    expect(given.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await hasScheduledGoal(db.statements, 'moment')).toBe(true);
    expect(await hasScheduledGoal(db.statements, 'another')).toBe(false);
    expect(await listGoals(db.statements, { archived: false, limit: 10 })).toHaveLength(1);
  });

  it('know whether a goal of theirs is still open, and which one a later one waits for', async () => {
    const id = await newSchedule();
    expect(await hasOpenGoal(db.statements, id)).toBe(false);
    const first = await give({ id, key: '1' });
    const second = await give({ id, key: '2' });
    expect(await hasOpenGoal(db.statements, id)).toBe(true);
    expect(await goalBefore(db.statements, second.id)).toBe(first.number);
    await setState(first.id, 'paused');
    expect(await goalBefore(db.statements, second.id)).toBe(first.number);
    await setState(first.id, 'done');
    expect(await goalBefore(db.statements, second.id)).toBeNull();
    await setState(second.id, 'aborted');
    expect(await hasOpenGoal(db.statements, id)).toBe(false);
  });

  it('count what they left out, one moment after the other', async () => {
    const id = await newSchedule();
    await Promise.all(
      Array.from({ length: 5 }, () =>
        inTransaction(db, async (tx) => {
          await lockSchedule(tx, id);
          await countSkipped(tx, id);
        }),
      ),
    );
    expect((await findSchedule(db.statements, id))?.skipped).toBe(5);
  });

  it('leave their goals behind when they are deleted', async () => {
    const id = await newSchedule();
    const goal = await give({ id, key: 'kept' });
    expect(await deleteSchedule(db.statements, id)).toBe(true);
    expect(await deleteSchedule(db.statements, id)).toBe(false);
    expect(await findGoal(db.statements, goal.id)).toMatchObject({ text: GOAL.text, scheduleId: null });
  });
});

describe('grants', () => {
  async function grant(
    goalId: string,
    what: { readonly action?: string; readonly ruleId?: string; readonly binding?: string },
  ): Promise<string> {
    const id = randomUUID();
    const { action = null, ruleId = null } = what;
    const scope = ruleId === null ? 'command' : 'rule';
    await insertGrant(db.statements, {
      id,
      goalId,
      scope,
      action,
      ruleId,
      binding: what.binding ?? null,
      carried: false,
      createdBy: 'anna',
    });
    return id;
  }

  it('let this very action run, or what the same rule stops, in their goal alone', async () => {
    const [goal, other] = [await newGoal(db), await newGoal(db)];
    const exact = await grant(goal.id, { action: 'rm -rf a\0', binding: 'here' });
    const byRule = await grant(goal.id, { ruleId: 'rm', binding: 'here' });
    const found = async (goalId: string, action: string, ruleId: string | null, binding = 'here') =>
      (await findGrant(db.statements, goalId, { action, ruleId, binding }))?.id ?? null;
    expect(await found(goal.id, 'rm -rf a\0', null)).toBe(exact);
    expect(await found(goal.id, 'rm -rf a\0', 'rm')).toBe(exact);
    expect(await found(goal.id, 'rm -rf b', 'rm')).toBe(byRule);
    expect(await found(goal.id, 'rm -rf b', 'mkfs')).toBeNull();
    expect(await found(goal.id, 'rm -rf b', null)).toBeNull();
    expect(await found(other.id, 'rm -rf a\0', 'rm')).toBeNull();
    expect(await found(goal.id, 'rm -rf a\0', 'rm', 'elsewhere')).toBeNull();
  });

  it('of a version that did not bind them cover nothing', async () => {
    const goal = await newGoal(db);
    await grant(goal.id, { action: 'rm a' });
    expect(await findGrant(db.statements, goal.id, { action: 'rm a', ruleId: null, binding: 'here' })).toBeNull();
  });

  it('are good for nothing once they are revoked, by their goal', async () => {
    const [goal, other] = [await newGoal(db), await newGoal(db)];
    const id = await grant(goal.id, { action: 'rm x', binding: 'here' });
    expect(await useGrant(db.statements, id)).toBe(true);
    expect(await revokeGrant(db.statements, other.id, id, 'ben')).toBeNull();
    expect(await revokeGrant(db.statements, goal.id, id, 'ben')).toMatchObject({ id, uses: 1, revokedBy: 'ben' });
    expect(await revokeGrant(db.statements, goal.id, id, 'ben')).toBeNull();
    expect(await useGrant(db.statements, id)).toBe(false);
    expect(await findGrant(db.statements, goal.id, { action: 'rm x', ruleId: null, binding: 'here' })).toBeNull();
    expect(await listGrants(db.statements, goal.id)).toMatchObject([{ id, uses: 1, createdBy: 'anna' }]);
  });
});
