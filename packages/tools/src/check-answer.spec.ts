import { describe, expect, it } from '@jest/globals';
import { checkAnswer } from './check-answer.js';

const request = {
  properties: {
    colour: { type: 'string', enum: ['red', 'green'] },
    count: { type: 'integer', minimum: 1, default: 2 },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['colour'],
};

describe('a person’s answer to a server', () => {
  it('an answer to a server contains the given values, and the defaults of the question for the others', () => {
    expect(checkAnswer(request, { colour: 'red' })).toEqual({ values: { colour: 'red', count: 2 } });
    expect(checkAnswer(request, { colour: 'red', count: 3, tags: ['a'] })).toEqual({
      values: { colour: 'red', count: 3, tags: ['a'] },
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a missing required value', {}, /the answer does not fit.*colour/],
    ['a value that is not a choice', { colour: 'blue' }, /colour/],
    ['a value of another type', { colour: 'red', count: 'three' }, /count/],
    ['a value below the minimum', { colour: 'red', count: 0 }, /count/],
    ['a nested value', { colour: { a: 1 } }, /each value is/],
    ['a value that is far too long', { colour: 'x'.repeat(70_000) }, /longer than/],
  ])('an answer to a server is refused: %s', (_, given, fault) => {
    const checked = checkAnswer(request, given);
    expect('fault' in checked ? checked.fault : null).toMatch(fault);
  });

  it('an answer to a server contains no values if none are asked for', () => {
    expect(checkAnswer(null, {})).toEqual({ values: {} });
    expect(checkAnswer(null, { colour: 'red' })).toMatchObject({ fault: expect.stringContaining('no values') });
  });
});
