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

describe('the guilty parts of an action', () => {
  it('are all marked, in the order of the text', () => {
    const action = 'rm -r a; ls; dd of=b';
    expect(markedParts(action, classified(finding([13, 20], 'disk'), finding([0, 7])))).toEqual([
      { text: 'rm -r a', isGuilty: true },
      { text: '; ls; ', isGuilty: false },
      { text: 'dd of=b', isGuilty: true },
    ]);
  });

  it('are marked once where they lie in each other', () => {
    expect(guilty('sudo rm -r a', classified(finding([0, 12]), finding([5, 12])))).toEqual(['sudo rm -r a']);
  });

  it('are none of what is safe, or of places that the action does not have', () => {
    expect(guilty('ls', { ...classified(finding([0, 2])), verdict: 'safe' })).toEqual([]);
    expect(guilty('ls', classified(finding([0, 9])))).toEqual([]);
    expect(guilty('ls', null)).toEqual([]);
  });

  it('lose nothing of the action, for any places', () => {
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

it('tells each further reason once, and not the first again', () => {
  const all = classified(finding([0, 1]), finding([2, 3]), finding([4, 5], 'disk'), finding([6, 7], 'disk'));
  expect(otherReasons(all)).toEqual(['it deletes (disk)']);
});

describe('the rule that a grant can name', () => {
  it('is the one that all findings are of', () => {
    expect(grantableRule(classified(finding([0, 1]), finding([2, 3])))).toBe('r');
    expect(grantableRule(classified(finding([0, 1]), finding([2, 3], 'disk')))).toBeNull();
  });

  it('is none of what cannot be read, or of what only a model calls destructive', () => {
    expect(grantableRule({ ...classified(finding([0, 1])), verdict: 'unknown' })).toBeNull();
    expect(
      grantableRule({ verdict: 'destructive', reason: 'x', ruleId: null, span: null, by: 'second-opinion' }),
    ).toBeNull();
    expect(grantableRule(null)).toBeNull();
  });
});
