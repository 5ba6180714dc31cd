import { describe, expect, it } from '@jest/globals';
import type { Action } from '@aish/contracts/actions';
import type { Decision } from '@aish/contracts/decisions';
import type { GoalDetail } from '@aish/contracts/goals';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { goalMarkdown, summarizeRecord } from './export-goal.js';

const ID = '00000000-0000-4000-8000-000000000000';
const AT = '2026-01-01T00:00:00.000Z';

type Command = Extract<Action, { kind: 'command' }>;
const action = (n: number, command: string, more: Partial<Command>): Command => ({
  kind: 'command',
  command,
  isCheck: false,
  id: `00000000-0000-4000-8000-00000000000${n}`,
  stepNumber: 1,
  n,
  state: 'finished',
  classification: null,
  outcome: null,
  result: null,
  startedAt: AT,
  endedAt: AT,
  ...more,
});

const ran = (exitCode: number, output: string) => ({
  ...OUTCOME,
  exitCode,
  output,
});

const decision = (more: Partial<Decision>): Decision => ({
  id: ID,
  number: 7,
  sessionId: ID,
  kind: 'halt',
  goalId: ID,
  goalNumber: 1,
  goalText: 'x',
  actionId: null,
  state: 'decided',
  reason: 'a reason',
  classification: null,
  action: 'test -f out',
  executionContext: null,
  difference: null,
  binding: null,
  request: null,
  stepNumber: 1,
  stepBudget: 3,
  context: '',
  verdict: 'proceed',
  message: null,
  answer: null,
  edited: null,
  granted: null,
  carried: false,
  expiresAt: null,
  expiryVerdict: null,
  decidedBy: 'ann',
  createdAt: AT,
  decidedAt: AT,
  ...more,
});

const goal = (more: Partial<GoalDetail>): GoalDetail => ({
  id: ID,
  number: 1,
  sessionId: ID,
  text: 'x',
  space: 'general',
  preset: 'fast',
  hostFolders: [],
  hosts: [],
  runbooks: [],
  state: 'done',
  reason: null,
  waitingFor: null,
  wakeAt: null,
  priority: 'normal',
  checksFailed: 0,
  tokenBudget: null,
  timeBudgetMs: null,
  activeMs: 0,
  haltExpiry: null,
  seed: null,
  trust: 'ask',
  scheduleId: null,
  updatedAt: AT,
  archived: false,
  summary: null,
  verify: null,
  verified: false,
  stepBudget: 3,
  stepsTaken: 2,
  tokensUsed: 5,
  createdAt: AT,
  endedAt: AT,
  steps: [{ n: 1, text: 'words', model: null, usage: null, notes: [], startedAt: AT, answeredAt: AT }],
  actions: [],
  decisions: [],
  grants: [],
  effects: null,
  evidence: [],
  messages: [],
  ...more,
});

describe('the export of a goal as Markdown', () => {
  it("the export of a goal shows the check that the model proposed and the person's verdict on it", () => {
    const markdown = goalMarkdown(goal({ decisions: [decision({ kind: 'check', edited: 'test -s out' })] }));
    expect(markdown).toContain(
      '- check d7: a reason\n\n> test -f out\n\n- d7: proceed by ann, new command: test -s out',
    );
  });

  it('the export of a goal shows times in UTC, even if the server is in another time zone', () => {
    expect(goalMarkdown(goal({}))).toContain(`started ${AT}`);
  });

  it('the export of a goal shows the folder and the variables of an approved command', () => {
    const executionContext = { folder: '/workspace/a', variables: [{ name: 'PATH', value: '/x' }], digest: 'd' };
    const asked = decision({ actionId: ID, executionContext, carried: true });
    const markdown = goalMarkdown(goal({ actions: [action(0, 'ls', {})], decisions: [asked] }));
    expect(markdown).toContain('- in /workspace/a\n- earlier commands set PATH=/x\n');
    expect(markdown).toContain('- d7: proceed by ann, with the variables of earlier commands');
  });

  it('the export of a goal ends with the summary of the model, if there is one', () => {
    expect(goalMarkdown(goal({ summary: 'All is well.' }))).toMatch(
      /## ✓ done\n\n> All is well\.\n\n- done, unverified, ended .*\n$/,
    );
  });

  it('the export of a goal ends with a summary from the record if the model gave none', () => {
    const exported = goal({ state: 'blocked', reason: 'no disk' });
    expect(goalMarkdown(exported)).toMatch(/## ✗ blocked\n\n> blocked: no disk\. 2 steps\n/);
  });
});

describe('a summary from the record', () => {
  it('a summary from the record contains the results of actions, the verdicts and the proof', () => {
    const actions = [
      action(1, 'ls', { outcome: ran(0, 'a') }),
      action(2, 'false', { outcome: ran(1, '') }),
      action(3, 'rm -rf x', { state: 'skipped' }),
      action(4, 'test -f out && echo there', { isCheck: true, outcome: ran(0, 'first\nthere\n') }),
    ];
    const decisions = [decision({ action: 'rm -rf x', verdict: 'skip' }), decision({ state: 'pending', number: 8 })];
    expect(summarizeRecord(goal({ verified: true, actions, decisions }))).toBe(
      'done. 2 steps, commands with exit 0: 1, commands that failed: 1, commands skipped: 1, checks with exit 0: 1. ' +
        'd7 (rm -rf x): skip by ann. proved by test -f out && echo there exited 0: there',
    );
  });

  it('a summary from the record says why a goal without actions ended', () => {
    expect(summarizeRecord(goal({ state: 'aborted', reason: 'cancelled by ann', stepsTaken: 0 }))).toBe(
      'aborted: cancelled by ann. 0 steps',
    );
  });
});
