import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Goal } from '@aish/contracts/goals';
import type { Classification } from '@aish/contracts/safety';
import type { Database } from '../client.js';
import { newChat, newGoal, newStep } from '../testing/new-sessions.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import {
  decide,
  findDecision,
  hasPendingDecision,
  insertDecision,
  listDecisions,
  listExpired,
  waitForVerdict,
  withdrawDecision,
  withdrawDecisions,
} from './decisions.repository.js';
import { wasApproved } from './action-approvals.repository.js';
import { writeSessionRecord } from './session-record.repository.js';

const DANGEROUS: Classification = { verdict: 'destructive', reason: 'deletes', ruleId: 'rm', span: null, by: 'rule' };

describe('decisions', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  async function ask(goal: Goal, more: Partial<Parameters<typeof insertDecision>[1]> = {}) {
    const id = randomUUID();
    const { number } = await insertDecision(db.statements, {
      id,
      sessionId: goal.sessionId,
      kind: 'check',
      goalId: goal.id,
      actionId: null,
      reason: 'deletes\0',
      classification: DANGEROUS,
      action: 'rm -rf /',
      stepNumber: 2,
      stepBudget: 3,
      context: 'the last lines',
      ...more,
    });
    return { id, number };
  }
  const VERDICT = { verdict: 'proceed', message: null, by: 'anna' } as const;

  it('a decision is found by its ID and by its number, with everything that was asked', async () => {
    const goal = await newGoal(db);
    const { id, number } = await ask(goal, {
      request: { form: ['a'] },
      expiry: { afterMs: 60_000, verdict: 'skip' },
    });
    const asked = await findDecision(db.statements, id);
    expect(asked).toMatchObject({
      id,
      number,
      goalNumber: goal.number,
      goalText: goal.text,
      state: 'pending',
      reason: 'deletes\uFFFD',
      classification: DANGEROUS,
      request: { form: ['a'] },
      expiryVerdict: 'skip',
      verdict: null,
      decidedAt: null,
    });
    expect(Date.parse(asked?.expiresAt ?? '') - Date.parse(asked?.createdAt ?? '')).toBe(60_000);
    expect(await findDecision(db.statements, String(number))).toEqual(asked);
    expect(await findDecision(db.statements, randomUUID())).toBeNull();
    expect(await findDecision(db.statements, '999999')).toBeNull();
  });

  it('only one of many simultaneous verdicts counts', async () => {
    const { id } = await ask(await newGoal(db));
    const people = ['anna', 'ben', 'cleo', 'dora'];
    const given = await Promise.all(people.map((by) => decide(db.statements, id, { ...VERDICT, by })));
    expect(given.filter(Boolean)).toHaveLength(1);
    expect((await findDecision(db.statements, id))?.decidedBy).toBe(people[given.indexOf(true)]);
    expect(await withdrawDecision(db.statements, id)).toBe(false);
  });

  it('all fields of a verdict are stored', async () => {
    const { id } = await ask(await newGoal(db));
    const fields = { message: 'no\0', granted: 'rule', answer: { yes: true } } as const;
    await decide(db.statements, id, { ...VERDICT, ...fields });
    expect(await findDecision(db.statements, id)).toMatchObject({
      state: 'decided',
      verdict: 'proceed',
      message: 'no\uFFFD',
      edited: null,
      granted: 'rule',
      answer: { yes: true },
      decidedAt: expect.any(String),
    });
  });

  it('decisions are listed by state, goal and session, oldest first', async () => {
    const [one, other] = [await newGoal(db), await newGoal(db)];
    const [first, second] = [await ask(one), await ask(one)];
    await ask(other);
    await decide(db.statements, first.id, VERDICT);
    const ids = async (filter: Partial<Parameters<typeof listDecisions>[1]>) =>
      (await listDecisions(db.statements, { limit: 10, ...filter })).map(({ id }) => id);
    expect(await ids({ goalId: one.id })).toEqual([first.id, second.id]);
    expect(await ids({ goalId: one.id, limit: 1 })).toEqual([first.id]);
    expect(await ids({ sessionId: one.sessionId, state: 'pending' })).toEqual([second.id]);
    expect(await hasPendingDecision(db.statements, one.sessionId)).toBe(true);
    expect(await withdrawDecisions(db.statements, one.sessionId)).toEqual([second]);
    expect(await hasPendingDecision(db.statements, one.sessionId)).toBe(false);
    expect(await hasPendingDecision(db.statements, other.sessionId)).toBe(true);
    expect(await decide(db.statements, second.id, VERDICT)).toBe(false);
  });

  it('a decision expires when its time is over, but only if nobody has answered it', async () => {
    const goal = await newGoal(db);
    const soon = { expiry: { afterMs: 1_000, verdict: 'abort' } } as const;
    const [over, answered, lasting] = [await ask(goal, soon), await ask(goal, soon), await ask(goal)];
    await db.statements.$executeRaw`
      update decisions set expires_at = now() - interval '1 second' where expires_at is not null`;
    await decide(db.statements, answered.id, VERDICT);
    const expired = (await listExpired(db.statements, 100)).map(({ id }) => id);
    expect(expired).toContain(over.id);
    expect(expired).not.toContain(answered.id);
    expect(expired).not.toContain(lasting.id);
  });

  it('wasApproved is true for an action that needed a verdict, and false for a safe one', async () => {
    const sessionId = await newChat(db);
    const [safe, stopped] = [randomUUID(), randomUUID()];
    const commands = [safe, stopped].map((id) => ({ id, kind: 'command', command: 'ls', isCheck: false }) as const);
    await newStep(db, sessionId, commands);
    const change = (id: string, classification: Classification) => ({ id, classification });
    await writeSessionRecord(db.statements, {
      of: { sessionId, progress: { state: 'running', exchange: 1, rounds: 1 } },
      epoch: null,
      answered: null,
      started: null,
      actions: [change(safe, { ...DANGEROUS, verdict: 'safe' }), change(stopped, DANGEROUS)],
      turns: [],
      events: [],
    });
    expect(await wasApproved(db.statements, safe)).toBe(false);
    expect(await wasApproved(db.statements, stopped)).toBe(true);
    expect(await wasApproved(db.statements, randomUUID())).toBe(false);
  });

  describe('a decision for a call that stays open', () => {
    it('the wait for a verdict ends when somebody answers', async () => {
      const { id } = await ask(await newGoal(db));
      const waiting = waitForVerdict(db, id, AbortSignal.timeout(20_000));
      await decide(db.statements, id, { ...VERDICT, verdict: 'skip' });
      expect(await waiting).toMatchObject({ id, verdict: 'skip' });
    });

    it('the wait for a verdict returns null if the decision is withdrawn or the signal aborts', async () => {
      const [taken, left] = [await ask(await newGoal(db)), await ask(await newGoal(db))];
      const waiting = waitForVerdict(db, taken.id, AbortSignal.timeout(20_000));
      await withdrawDecision(db.statements, taken.id);
      expect(await waiting).toBeNull();
      expect(await waitForVerdict(db, left.id, AbortSignal.timeout(50))).toBeNull();
      expect(await findDecision(db.statements, left.id)).toMatchObject({ state: 'pending' });
    });
  });
});
