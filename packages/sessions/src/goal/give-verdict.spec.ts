import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ActionRequest } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import { CreateGoal } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import type { Classification } from '@aish/contracts/safety';
import type { Database } from '@aish/database/client';
import { listDecisions } from '@aish/database/decisions.repository';
import { listEvents } from '@aish/database/events.repository';
import { findGoal } from '@aish/database/goals.repository';
import { findGrant } from '@aish/database/grants.repository';
import { listActions } from '@aish/database/steps.repository';
import { inTransaction } from '@aish/database/transaction';
import { listTurns } from '@aish/database/turns.repository';
import { openSuiteDatabase } from '@aish/database/testing/suite-database';
import { createGoal } from './create-goal.js';
import { giveVerdict, type VerdictToGive } from './give-verdict.js';
import type { GoalEvent } from '../machine/goal/events.js';
import { withMachine } from './with-machine.js';

const BY_RULE: Classification = { verdict: 'destructive', reason: 'deletes', ruleId: 'r', span: null, by: 'rule' };
const CALL = {
  kind: 'tool',
  callId: 'call-1',
  tool: 'every__echo',
  label: 'every.echo',
  arguments: '{}',
  readOnly: false,
} as const;
const PROCEED: VerdictToGive = {
  verdict: 'proceed',
  message: null,
  edited: null,
  granted: null,
  answer: null,
  by: 'ann',
};

describe('the verdict on a HALT', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  /** Returns a goal that halted before `rm -rf keep` or another action, and its decision. */
  async function halted(
    classification = BY_RULE,
    request: ActionRequest = { kind: 'command', command: 'rm -rf keep' },
  ) {
    const created = await inTransaction(db, (tx) =>
      createGoal(tx, { goal: CreateGoal.parse({ text: 'do it' }), createdBy: 'p' }),
    );
    invariant(created !== null, 'a goal without a schedule is new');
    const { id: goalId, sessionId } = created.goal;
    const actionId = randomUUID();
    const answer = { text: 'Now.\nCMD: rm -rf keep', model: null, usage: null, notes: [], goalLine: null } as const;
    const actions = [{ ...request, id: actionId, isCheck: false }];
    const events: readonly GoalEvent[] = [
      { type: 'taken' },
      { type: 'answered', ...answer, actions, checkId: randomUUID(), isSchemaEcho: false, tookMs: 1 },
      { type: 'classified', judgements: [{ actionId, classification, grant: null, binding: 'here' }], tookMs: 0 },
    ];
    for (const event of events) {
      await inTransaction(db, (tx) => withMachine(tx, goalId, () => Promise.resolve({ event })));
    }
    const [asked] = await listDecisions(db.statements, { goalId, limit: 1 });
    invariant(asked !== undefined, 'it halts');
    return { goalId, sessionId, asked };
  }
  /** Returns a goal whose model asks a question, and the decision with that question. */
  async function asking() {
    const created = await inTransaction(db, (tx) =>
      createGoal(tx, { goal: CreateGoal.parse({ text: 'do it' }), createdBy: 'p' }),
    );
    invariant(created !== null, 'a goal without a schedule is new');
    const { id: goalId, sessionId } = created.goal;
    const goalLine = { kind: 'ask', question: 'Which disk?' } as const;
    const answer = { text: 'GOAL: ask Which disk?', model: null, usage: null, notes: [], goalLine } as const;
    const events: readonly GoalEvent[] = [
      { type: 'taken' },
      { type: 'answered', ...answer, actions: [], checkId: randomUUID(), isSchemaEcho: false, tookMs: 1 },
    ];
    for (const event of events) {
      await inTransaction(db, (tx) => withMachine(tx, goalId, () => Promise.resolve({ event })));
    }
    const [asked] = await listDecisions(db.statements, { goalId, limit: 1 });
    invariant(asked !== undefined, 'it asks');
    return { goalId, sessionId, asked };
  }
  const give = (asked: Decision, more: Partial<VerdictToGive> = {}) =>
    inTransaction(db, (tx) => giveVerdict(tx, asked, { ...PROCEED, ...more }));
  const actionOf = async (sessionId: string) => (await listActions(db.statements, sessionId))[0];
  const lastTurn = async (sessionId: string) => (await listTurns(db.statements, sessionId)).at(-1)?.content;

  it('the model gets the answer to its question as words of the user', async () => {
    const { goalId, sessionId, asked } = await asking();
    expect(asked).toMatchObject({ kind: 'question', action: 'Which disk?', request: { required: ['answer'] } });
    const { decision, goesOn } = await give(asked, { answer: { answer: 'sda' } });
    expect([goesOn, decision.answer]).toEqual([goalId, { answer: 'sda' }]);
    expect(await lastTurn(sessionId)).toBe('[aish] The user answers:\nsda');
    const events = await listEvents(db.statements, sessionId, 0, 100);
    expect(events.map(({ body }) => body.type)).toEqual(expect.arrayContaining(['goal.noticed', 'decision.given']));
  });

  it('a HALT shows the person the last lines that the model wrote', async () => {
    const { asked } = await halted();
    expect(asked).toMatchObject({ kind: 'halt', action: 'rm -rf keep', context: 'Now.\nCMD: rm -rf keep' });
  });

  it('the verdict proceed approves the action, continues the goal and publishes both events', async () => {
    const { goalId, sessionId, asked } = await halted();
    const { decision, notice, goesOn } = await give(asked);
    expect(decision).toMatchObject({ state: 'decided', verdict: 'proceed', decidedBy: 'ann' });
    expect(goesOn).toBe(goalId);
    expect(notice).toMatchObject({ type: 'events', goalId, types: ['decision.given', 'goal.changed'] });
    expect(await actionOf(sessionId)).toMatchObject({ state: 'approved' });
    expect(await lastTurn(sessionId)).toBe('[aish] action approved');
  });

  it('a second verdict changes nothing, and its error names the first verdict', async () => {
    const { sessionId, asked } = await halted();
    await give(asked, { verdict: 'skip', message: 'keep it' });
    const before = await listEvents(db.statements, sessionId, 0, 100);
    await expect(give(asked)).rejects.toMatchObject({
      code: 'decision_taken',
      facts: { verdict: 'skip', decidedBy: 'ann' },
    });
    expect(await listEvents(db.statements, sessionId, 0, 100)).toEqual(before);
    expect(await lastTurn(sessionId)).toBe('[aish] action skipped by user: rm -rf keep\nkeep it');
  });

  it('an edit replaces the command, which then waits for a new judgement', async () => {
    const { sessionId, asked } = await halted();
    await give(asked, { verdict: 'edit', edited: 'ls keep' });
    expect(await actionOf(sessionId)).toMatchObject({ command: 'ls keep', state: 'pending', classification: null });
    expect(await lastTurn(sessionId)).toBe('[aish] action changed by user: ls keep\ninstead of: rm -rf keep');
  });

  it.each(['yes', '[1]', '"x"', 'null', '{"message":'])(
    'an edit of a tool call is refused if the new arguments are %s',
    async (edited) => {
      const { goalId, sessionId, asked } = await halted(BY_RULE, CALL);
      const before = await listEvents(db.statements, sessionId, 0, 100);
      await expect(give(asked, { verdict: 'edit', edited })).rejects.toMatchObject({
        code: 'invalid_body',
        facts: { errors: [{ path: 'command' }] },
      });
      expect(await listEvents(db.statements, sessionId, 0, 100)).toEqual(before);
      expect(await findGoal(db.statements, goalId)).toMatchObject({ state: 'halted' });
      expect(await give(asked, { verdict: 'edit', edited: '{"message":"ibis"}' })).toMatchObject({ goesOn: goalId });
      expect(await actionOf(sessionId)).toMatchObject({ arguments: '{"message":"ibis"}', state: 'pending' });
    },
  );

  it('the verdict abort ends the goal, and no runner continues it', async () => {
    const { goalId, asked } = await halted();
    expect(await give(asked, { verdict: 'abort' })).toMatchObject({ goesOn: null });
    expect(await findGoal(db.statements, goalId)).toMatchObject({ state: 'aborted', reason: 'aborted by ann' });
  });

  it('a grant covers the same command, or every action that its rule stops, in its own goal only', async () => {
    const find = (goalId: string, action: string, ruleId: string | null, binding = 'here') =>
      findGrant(db.statements, goalId, { action, ruleId, binding });
    const exact = await halted();
    await give(exact.asked, { granted: 'command' });
    expect(await find(exact.goalId, 'rm -rf keep', null)).toMatchObject({ scope: 'command' });
    expect(await find(exact.goalId, 'rm -rf other', 'r')).toBeNull();
    expect(await find(exact.goalId, 'rm -rf keep', null, 'elsewhere')).toBeNull();
    const all = await halted();
    await give(all.asked, { granted: 'rule' });
    expect(await find(all.goalId, 'rm -rf other', 'r')).toMatchObject({ scope: 'rule' });
    expect(await find(exact.goalId, 'rm -rf other', 'r')).toBeNull();
  });

  it('a grant by rule is refused if no rule stopped the action, and the decision stays open', async () => {
    const { goalId, asked } = await halted({ ...BY_RULE, ruleId: null, by: 'second-opinion' });
    await expect(give(asked, { granted: 'rule' })).rejects.toMatchObject({ code: 'invalid_body' });
    expect(await findGoal(db.statements, goalId)).toMatchObject({ state: 'halted' });
  });

  it('a paused goal stays paused after a verdict', async () => {
    const { goalId, sessionId, asked } = await halted();
    const event = { type: 'paused', by: 'p' } as const;
    await inTransaction(db, (tx) => withMachine(tx, goalId, () => Promise.resolve({ event })));
    expect(await give(asked)).toMatchObject({ goesOn: null });
    expect(await findGoal(db.statements, goalId)).toMatchObject({ state: 'paused' });
    expect(await actionOf(sessionId)).toMatchObject({ state: 'approved' });
  });
});
