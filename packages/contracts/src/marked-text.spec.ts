import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { grantableRule } from './decision-rules.js';
import { markedParts, otherReasons } from './marked-text.js';
import type { Classification, Finding } from './safety.js';

const finding = (span: [number, number], ruleId = 'r'): Finding => ({
  verdict: 'destructive',
  reason: 'it deletes',
  ruleId,
  span,
});

const classified = (...findings: readonly Finding[]): Classification => {
  const [first = finding([0, 1]), ...others] = findings;
  return { ...first, by: 'rule', others };
};

const guilty = (action: string, classification: Classification | null) =>
  markedParts(action, classification).flatMap(({ text, isGuilty }) => (isGuilty ? [text] : []));

describe('the marked parts of an action', () => {
  it('all findings are marked, in the order of the text', () => {
    const action = 'rm -r a; ls; dd of=b';
    expect(markedParts(action, classified(finding([13, 20], 'disk'), finding([0, 7])))).toEqual([
      { text: 'rm -r a', isGuilty: true },
      { text: '; ls; ', isGuilty: false },
      { text: 'dd of=b', isGuilty: true },
    ]);
  });

  it('nested findings are marked once', () => {
    expect(guilty('sudo rm -r a', classified(finding([0, 12]), finding([5, 12])))).toEqual(['sudo rm -r a']);
  });

  it('a safe action has no marks, and marks outside the action are ignored', () => {
    expect(guilty('ls', { ...classified(finding([0, 2])), verdict: 'safe' })).toEqual([]);
    expect(guilty('ls', classified(finding([0, 9])))).toEqual([]);
    expect(guilty('ls', null)).toEqual([]);
  });

  it('the marked and unmarked parts together are the whole action, for any marks', () => {
    const place = fc.tuple(fc.nat(30), fc.nat(30));
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.array(place, { maxLength: 6 }), (action, places) => {
        const parts = markedParts(action, classified(...places.map((each) => finding(each))));
        expect(parts.map(({ text }) => text).join('')).toBe(action);
        expect(parts.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});

it('otherReasons lists each further reason once, and does not repeat the first', () => {
  const all = classified(finding([0, 1]), finding([2, 3]), finding([4, 5], 'disk'), finding([6, 7], 'disk'));
  expect(otherReasons(all)).toEqual(['it deletes (disk)']);
});

describe('the rule that a grant can name', () => {
  it('a grant can name a rule if all findings belong to it', () => {
    expect(grantableRule(classified(finding([0, 1]), finding([2, 3])))).toBe('r');
    expect(grantableRule(classified(finding([0, 1]), finding([2, 3], 'disk')))).toBeNull();
  });

  it('a grant cannot name a rule for an unreadable action, or for one that only a model calls destructive', () => {
    expect(grantableRule({ ...classified(finding([0, 1])), verdict: 'unknown' })).toBeNull();
    expect(
      grantableRule({ verdict: 'destructive', reason: 'x', ruleId: null, span: null, by: 'second-opinion' }),
    ).toBeNull();
    expect(grantableRule(null)).toBeNull();
  });
});
