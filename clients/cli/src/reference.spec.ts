import { describe, expect, it } from '@jest/globals';
import { uuid } from '@aish/client/testing/fixtures';
import { anyReference, decisionReference, goalReference, sessionReference, workplaceReference } from './reference.js';

const readers = {
  goal: goalReference,
  session: sessionReference,
  decision: decisionReference,
  workplace: workplaceReference,
};

describe('the names of goals, chats and decisions', () => {
  it.each([
    ['goal', 'g4', '4'],
    ['goal', 'G-4', '4'],
    ['goal', '4', '4'],
    ['session', 'c12', '12'],
    ['session', 'c-12', '12'],
    ['session', 's12', '12'],
    ['session', '12', '12'],
    ['decision', 'd17', '17'],
    ['decision', 'd-17', '17'],
    ['decision', '17', '17'],
    ['workplace', 'g4', '4'],
    ['workplace', '4', '4'],
    ['workplace', 'c12', 'c-12'],
    ['workplace', 'C-12', 'c-12'],
  ] as const)('a %s may be named by its number: %s', (kind, text, reference) =>
    expect(readers[kind](text)).toBe(reference),
  );

  it.each(Object.keys(readers) as (keyof typeof readers)[])('a %s may be named by its UUID', (kind) => {
    for (const id of [uuid(1), 'd1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001']) {
      expect(readers[kind](id)).toBe(id);
    }
  });

  it.each([
    ['goal', 'd17'],
    ['goal', 'g0'],
    ['goal', 'g'],
    ['session', 'g4'],
    ['decision', 'c12'],
    ['workplace', 'd17'],
    ['goal', 'four'],
  ] as const)('a %s cannot be named %s, and the error says how to name it', (kind, text) => {
    expect(() => readers[kind](text)).toThrow(/is named|Name a goal as/);
  });

  it('anyReference reads the kind of thing from the letter, and assumes a goal for a plain number or UUID', () => {
    expect(anyReference('d17')).toEqual({ type: 'decision', reference: '17' });
    expect(anyReference('d-17')).toEqual({ type: 'decision', reference: '17' });
    expect(anyReference('4.3')).toEqual({ type: 'goal', reference: '4', step: 3 });
    expect(anyReference('g4.3')).toEqual({ type: 'goal', reference: '4', step: 3 });
    expect(anyReference('c12')).toEqual({ type: 'chat', reference: '12' });
    expect(anyReference('g17')).toEqual({ type: 'goal', reference: '17' });
    const id = 'd1000000-0000-4000-8000-000000000001';
    expect(anyReference(id)).toEqual({ type: 'goal', reference: id });
  });
});
