import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Goal } from '@aish/contracts/goals';
import type { Database } from '../client.js';
import { newGoal } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import { inTransaction } from '../transaction.js';
import { insertDecision, withdrawDecisions } from './decisions.repository.js';
import {
  claimDue,
  forgetOldNotifications,
  noteWhatHappened,
  openChannels,
  settleNotification,
  signingKey,
} from './notifications.repository.js';

describe('notifications', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  beforeEach(async () => {
    await db.statements.$executeRaw`truncate sessions, notification_channels, notifications cascade`;
  });

  const ask = ({ id: goalId, sessionId }: Goal) =>
    insertDecision(db.statements, {
      id: randomUUID(),
      sessionId,
      kind: 'check',
      goalId,
      actionId: null,
      reason: 'r',
      classification: null,
      action: 'a',
      stepNumber: 1,
      stepBudget: 3,
      context: '',
    });
  const end = ({ id }: Goal, state: string) =>
    db.statements.$executeRaw`update goals set state = ${state}, ended_at = now() where id = ${id}::uuid`;
  const note = (more: Partial<Parameters<typeof noteWhatHappened>[1]> = {}) =>
    noteWhatHappened(db.statements, {
      channels: ['mail', 'chat'],
      halts: true,
      states: ['done', 'failed'],
      dueAt: new Date(),
      ...more,
    });
  const nobody = { people: [] as string[], isEverybody: false };
  const claim = (limit = 10, here = nobody) =>
    inTransaction(db, (tx) => claimDue(tx, { limit, now: new Date(), isQuiet: false, here }));
  const states = async () =>
    (await db.statements.$queryRaw<{ state: string }[]>`select state from notifications order by state`).map(
      ({ state }) => state,
    );

  it('each channel gets one notification per decision and per end, however often notifications are collected', async () => {
    await openChannels(db.statements, ['mail', 'chat']);
    const [asks, done, stalled] = [await newGoal(db), await newGoal(db), await newGoal(db)];
    await ask(asks);
    await end(done, 'done');
    await end(stalled, 'stalled');
    expect(await note()).toBe(4);
    expect(await note()).toBe(0);
    const kinds = (await claim()).map(({ channel, kind, goalId }) => [channel, kind, goalId].join(' '));
    expect(kinds.toSorted()).toEqual(
      ['mail', 'chat'].flatMap((name) => [`${name} done ${done.id}`, `${name} halt ${asks.id}`]).toSorted(),
    );
  });

  it('a notification waits while its recipient is present, unless its goal is urgent', async () => {
    await openChannels(db.statements, ['mail']);
    const [quiet, urgent] = [await newGoal(db), await newGoal(db)];
    for (const goal of [quiet, urgent]) await ask(goal);
    await db.statements.$executeRaw`update goals set priority = 'high' where id = ${urgent.id}::uuid`;
    await note();
    const everybody = { people: ['ann'], isEverybody: true };
    expect((await claim(10, everybody)).map(({ goalId }) => goalId)).toEqual([urgent.id]);
    await db.statements.$executeRaw`update notifications set recipient = 'bob' where goal_id = ${quiet.id}::uuid`;
    expect(await claim(10, { people: ['bob'], isEverybody: false })).toEqual([]);
    expect(await claim(10, everybody)).toMatchObject([{ goalId: quiet.id, attempts: 1 }]);
  });

  it('a channel gets notifications only for newer decisions, and only for the requested kinds', async () => {
    await ask(await newGoal(db));
    // Times have a resolution of a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await openChannels(db.statements, ['mail']);
    expect(await note()).toBe(0);
    await ask(await newGoal(db));
    expect(await note({ halts: false })).toBe(0);
    expect(await note({ channels: ['chat'] })).toBe(0);
    expect(await note()).toBe(1);
    await openChannels(db.statements, ['mail']);
    expect(await note()).toBe(0);
  });

  it('a goal that continues and ends again causes two notifications, and a withdrawn decision causes none', async () => {
    await openChannels(db.statements, ['mail']);
    const [goal, asks] = [await newGoal(db), await newGoal(db)];
    await end(goal, 'failed');
    expect(await note()).toBe(1);
    await db.statements
      .$executeRaw`update goals set ended_at = now() + interval '1 second' where id = ${goal.id}::uuid`;
    expect(await note()).toBe(1);
    await ask(asks);
    await withdrawDecisions(db.statements, asks.sessionId);
    expect(await note()).toBe(0);
  });

  it('only one of many senders takes a notification, and another one takes over if the first one dies', async () => {
    await openChannels(db.statements, ['mail', 'chat']);
    await ask(await newGoal(db));
    await note();
    const taken = (await Promise.all([claim(), claim(), claim()])).flat();
    expect(taken).toHaveLength(2);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(2);
    expect(await claim()).toEqual([]);
    await db.statements.$executeRaw`update notifications set due_at = now() - interval '1 second'`;
    expect((await claim(1)).map(({ attempts }) => attempts)).toEqual([2]);
  });

  it('a settled notification is either sent or due again later', async () => {
    await openChannels(db.statements, ['mail']);
    await ask(await newGoal(db));
    await note();
    const [first] = await claim();
    const later = new Date(Date.now() + 60_000);
    await settleNotification(db.statements, first?.id ?? '', { state: 'pending', error: 'busy\0', dueAt: later });
    expect(await claim()).toEqual([]);
    const rows = await db.statements.$queryRaw`select error, due_at, sent_at from notifications`;
    expect(rows).toEqual([{ error: 'busy\uFFFD', due_at: later, sent_at: null }]);
    await settleNotification(db.statements, first?.id ?? '', { state: 'sent' });
    expect(await db.statements.$queryRaw`select error, sent_at from notifications`).toEqual([
      { error: null, sent_at: expect.any(Date) },
    ]);
  });

  it('old settled notifications are deleted', async () => {
    await openChannels(db.statements, ['mail', 'chat']);
    await ask(await newGoal(db));
    await note();
    const [first] = await claim(1);
    await settleNotification(db.statements, first?.id ?? '', { state: 'dropped' });
    await forgetOldNotifications(db.statements, 30);
    expect(await states()).toEqual(['dropped', 'pending']);
    await db.statements.$executeRaw`update notifications set created_at = now() - interval '31 days'`;
    await forgetOldNotifications(db.statements, 30);
    expect(await states()).toEqual(['pending']);
  });

  it('all processes sign with one key, even if several create one at the same time', async () => {
    const fresh = [1, 2, 3, 4].map((n) => Buffer.alloc(32, n));
    const keys = await Promise.all(fresh.map((key) => signingKey(db.statements, 'webhook', key)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(fresh.some((key) => key.equals(keys[0] ?? new Uint8Array()))).toBe(true);
    expect(Buffer.from(await signingKey(db.statements, 'another', Buffer.alloc(32, 9)))[0]).toBe(9);
  });
});
