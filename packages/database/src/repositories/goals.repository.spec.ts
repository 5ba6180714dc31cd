import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CreateGoal } from '@aish/contracts/goals';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { inTransaction } from '../transaction.js';
import {
  breakGoal,
  editGoal,
  findGoal,
  goalBefore,
  hasScheduledGoal,
  insertGoal,
  listOrphanedGoals,
  listGoals,
  lockAsRunner,
  lockGoal,
  raiseEpoch,
  setGoalOffered,
  supersedeRunner,
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

let db: Database;
openSuiteDatabase((opened) => (db = opened), { max: 4 });

beforeEach(async () => {
  await db.statements.$executeRaw`truncate sessions, schedules cascade`;
});

const setState = (id: string, state: string) =>
  db.statements.$executeRaw`update goals set state = ${state} where id = ${id}::uuid`;

describe('goals', () => {
  it('a goal that is read by ID or by number has the values with which it was created', async () => {
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

  it('a goal that cannot be stored leaves no session behind', async () => {
    const { id } = await newGoal(db);
    const sessionId = randomUUID();
    const again = { id, sessionId, text: 'x', preset: 'fast', stepBudget: 3, createdBy: 'p' };
    await expect(inTransaction(db, (tx) => insertGoal(tx, again))).rejects.toMatchObject({ code: '23505' });
    expect(await db.statements.$queryRaw`select 1 from sessions where id = ${sessionId}::uuid`).toEqual([]);
  });

  it('goals are listed by state, newest first', async () => {
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

  it.each(['queued', 'running', 'waiting'])('a goal can get a runner while it is %s', async (state) => {
    const { id } = await newGoal(db);
    await setState(id, state);
    expect((await raiseEpoch(db.statements, id))?.epoch).toBe(1);
  });

  it.each(['halted', 'paused', 'done', 'failed', 'aborted', 'blocked'])(
    'a goal gets no runner if %s',
    async (state) => {
      const { id } = await newGoal(db);
      await setState(id, state);
      expect(await raiseEpoch(db.statements, id)).toBeNull();
    },
  );

  it('a goal refuses the writes of its previous runner', async () => {
    const { id } = await newGoal(db);
    await raiseEpoch(db.statements, id);
    await expect(lockAsRunner(db.statements, id, 1)).resolves.toBeUndefined();
    await supersedeRunner(db.statements, id);
    await expect(lockAsRunner(db.statements, id, 1)).rejects.toMatchObject({ code: 'epoch_superseded' });
    expect(await lockGoal(db.statements, randomUUID())).toBeNull();
  });

  it('a goal that cannot be loaded waits, and fails after several errors in a row', async () => {
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

  it('editing a goal changes only the given fields', async () => {
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

  it('a goal is listed as orphaned if nobody touched it for a while, or if its pause is over', async () => {
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
    const found = (await listOrphanedGoals(db.statements, 60_000, 10)).map(({ id }) => id);
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

  it('a schedule is read with the goal that it starts, and the last goal that it started', async () => {
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

  it('each time of a schedule starts one goal, even if two workers see it at once', async () => {
    const id = await newSchedule();
    const given = await Promise.allSettled([give({ id, key: 'moment' }), give({ id, key: 'moment' })]);
    expect(given.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await hasScheduledGoal(db.statements, 'moment')).toBe(true);
    expect(await hasScheduledGoal(db.statements, 'another')).toBe(false);
    expect(await listGoals(db.statements, { archived: false, limit: 10 })).toHaveLength(1);
  });

  it('a schedule has an open goal until all its goals end, and a later goal waits for an earlier one', async () => {
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

  it('the goals that a schedule skipped are counted', async () => {
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

  it('deleting a schedule keeps its goals', async () => {
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

  it('a grant covers one exact action or every action that one rule stops, and only in its goal', async () => {
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

  it('a grant of an old version without bindings covers nothing', async () => {
    const goal = await newGoal(db);
    await grant(goal.id, { action: 'rm a' });
    expect(await findGrant(db.statements, goal.id, { action: 'rm a', ruleId: null, binding: 'here' })).toBeNull();
  });

  it('a grant that was revoked through its goal covers nothing', async () => {
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
