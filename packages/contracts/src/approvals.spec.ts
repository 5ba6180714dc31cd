import { describe, expect, it } from '@jest/globals';
import {
  approvalState,
  approve,
  approversFor,
  messageOf,
  sameFindings,
  type Approval,
  type ApprovalInput,
} from './approvals.js';
import type { Classification } from './safety.js';

const RM: Classification = {
  verdict: 'destructive',
  reason: 'deletes',
  ruleId: 'files.rm-recursive',
  span: null,
  by: 'rule',
  others: [{ verdict: 'unknown', reason: 'unread', ruleId: 'shell.unread', span: null }],
};
const SATURDAY = { days: ['sat' as const], from: '02:00', to: '05:00', timezone: 'UTC' };
const WEDNESDAY_NOON = new Date('2026-11-25T12:00:00Z');
const IN_IT = new Date('2026-11-28T03:00:00Z');

function by(name: string, more: Partial<Approval> = {}): Approval {
  return { by: name, at: '2026-11-25T12:00:00.000Z', version: 'v1', inWindow: false, carried: false, ...more };
}
function stateOf(more: Partial<ApprovalInput> = {}, at = WEDNESDAY_NOON) {
  const none = { rules: [], windows: [], approvals: [], author: 'gil', waitsUntil: null };
  return approvalState({ ...none, classification: RM, version: 'v1', ...more }, at);
}
const TWO = [{ findings: ['files.*'], people: 2, notAuthor: true }];

describe('who has to approve an action', () => {
  it('one approval is enough unless a rule of the space matches the action', () => {
    expect(approversFor([], RM)).toEqual({ people: 1, notAuthor: false });
    const wants = (...findings: string[]) => approversFor([{ findings, people: 2, notAuthor: false }], RM).people;
    expect([wants('files.*'), wants('shell.unread'), wants('destructive'), wants('*')]).toEqual([2, 2, 2, 2]);
    expect([wants('unknown'), wants('disks.*'), wants('files')]).toEqual([1, 1, 1]);
    expect(approversFor([{ findings: ['*'], people: 2, notAuthor: false }], null).people).toBe(2);
    expect(approversFor([{ findings: ['files.*'], people: 2, notAuthor: false }], null).people).toBe(1);
  });

  it('the strictest requirements of all matching rules apply to an action', () => {
    const rules = [...TWO, { findings: ['destructive'], people: 3, notAuthor: false }];
    expect(approversFor(rules, RM)).toEqual({ people: 3, notAuthor: true });
  });

  it('a person cannot approve an action twice, and a rule can exclude the author', () => {
    const first = approve(stateOf({ rules: TWO }), by('ann'));
    expect(first).toEqual({ kind: 'waits', approvals: [by('ann')], waitsUntil: null });
    const after = stateOf({ rules: TWO, approvals: [by('ann')] });
    expect(after).toMatchObject({ needed: 2, given: [{ by: 'ann' }], author: 'gil' });
    expect(approve(after, by('ann'))).toMatchObject({ kind: 'refused', code: 'needs_another_person' });
    expect(approve(after, by('gil'))).toMatchObject({ kind: 'refused', code: 'needs_another_person' });
    expect(approve(after, by('bob'))).toEqual({
      kind: 'runs',
      by: 'ann, bob',
      inWindow: false,
      preview: null,
      message: null,
    });
  });

  it('an approval of an older version of a decision is ignored', () => {
    const after = stateOf({ rules: TWO, approvals: [by('ann', { version: 'v0' })] });
    expect(after.given).toEqual([]);
    expect(approve(after, by('bob'))).toMatchObject({ kind: 'waits', waitsUntil: null });
  });

  it('the model gets the messages of all approvers as one text', () => {
    expect(messageOf([by('ann')])).toBeNull();
    expect(messageOf([by('ann', { message: 'only once' })])).toBe('only once');
    const both = [by('ann', { message: 'only once' }), by('bob'), by('cat', { message: 'at night' })];
    expect(messageOf(both)).toBe('only once\nat night');
    const runs = approve(stateOf({ rules: TWO, approvals: both.slice(0, 1) }), by('bob', { message: 'go' }));
    expect(runs).toMatchObject({ kind: 'runs', message: 'only once\ngo' });
    const again = approve(stateOf({ rules: TWO, approvals: [by('ann')] }), by('ann', { message: 'wait, only once' }));
    expect(again).toMatchObject({ kind: 'waits', approvals: [{ message: 'wait, only once' }] });
  });

  it('the preview is used only if all approvers named the same one', () => {
    const [older, newer] = ['5f0c7c1e-5c3b-4a39-9a55-2a7f5a3c1b01', '5f0c7c1e-5c3b-4a39-9a55-2a7f5a3c1b02'];
    const after = stateOf({ rules: TWO, approvals: [by('ann', { preview: older })] });
    expect(approve(after, by('bob', { preview: older }))).toMatchObject({ kind: 'runs', preview: older });
    expect(approve(after, by('bob', { preview: newer }))).toMatchObject({ kind: 'runs', preview: null });
    expect(approve(after, by('bob'))).toMatchObject({ kind: 'runs', preview: null });
    expect(approve(after, by('ann', { preview: newer }))).toMatchObject({ kind: 'waits' });
    const none = stateOf({ rules: TWO, approvals: [by('ann')] });
    expect(approve(none, by('bob', { preview: newer }))).toMatchObject({ kind: 'runs', preview: null });
    expect(approve(stateOf(), by('ann', { preview: newer }))).toMatchObject({ kind: 'runs', preview: newer });
  });

  it('an approval is refused if it disagrees with an earlier one about the variables', () => {
    const after = stateOf({ rules: TWO, approvals: [by('ann', { carried: true })] });
    expect(approve(after, by('bob'))).toMatchObject({ kind: 'refused', code: 'invalid_body' });
    expect(approve(after, by('bob', { carried: true }))).toMatchObject({ kind: 'runs' });
  });
});

describe('an approval for the change window', () => {
  const windows = [SATURDAY];
  const later = { inWindow: true };

  it('an action approved for the window waits until the window opens, and runs at once while it is open', () => {
    const waits = approve(stateOf({ windows }), by('ann', later));
    expect(waits).toMatchObject({ kind: 'waits', waitsUntil: '2026-11-28T02:00:00.000Z' });
    expect(approve(stateOf({ windows }, IN_IT), by('ann', later))).toMatchObject({
      kind: 'runs',
      by: 'ann',
      inWindow: true,
    });
  });

  it('an approval for the window is refused if the space has no window', () => {
    expect(approve(stateOf(), by('ann', later))).toMatchObject({ kind: 'refused', code: 'invalid_body' });
  });

  it('an action waits if one of two approvals is for the window, and runs now once enough are for now', () => {
    const one = { rules: TWO, windows, approvals: [by('ann', later)] };
    expect(approve(stateOf(one), by('bob'))).toMatchObject({ kind: 'waits', waitsUntil: '2026-11-28T02:00:00.000Z' });
    const alone = { windows, approvals: [by('ann', later)], waitsUntil: new Date('2026-11-28T02:00:00Z') };
    expect(stateOf(alone).waitsUntil).toBe('2026-11-28T02:00:00.000Z');
    expect(approve(stateOf(alone), by('bob'))).toEqual({
      kind: 'runs',
      by: 'bob',
      inWindow: false,
      preview: null,
      message: null,
    });
  });

  it('an approval no longer suffices if the space now requires more people', () => {
    const waiting = { windows, approvals: [by('ann', later)], waitsUntil: new Date('2026-11-28T02:00:00Z') };
    expect(stateOf({ ...waiting, rules: TWO }).waitsUntil).toBeNull();
  });
});

describe('an action that is checked again', () => {
  it('sameFindings is true if a second check of an action has no new findings', () => {
    expect(sameFindings(RM, RM)).toBe(true);
    expect(sameFindings(RM, { ...RM, others: [] })).toBe(true);
    expect(sameFindings(RM, { ...RM, verdict: 'safe', ruleId: null, others: [] })).toBe(true);
    expect(sameFindings({ ...RM, others: [] }, RM)).toBe(false);
    expect(sameFindings(RM, { ...RM, ruleId: 'disks.format' })).toBe(false);
    expect(sameFindings(RM, { ...RM, verdict: 'unknown' })).toBe(false);
    expect(sameFindings(null, RM)).toBe(false);
  });
});
