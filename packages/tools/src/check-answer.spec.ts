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
  it('has what was given, and what the question proposes where nothing was', () => {
    expect(checkAnswer(request, { colour: 'red' })).toEqual({ values: { colour: 'red', count: 2 } });
    expect(checkAnswer(request, { colour: 'red', count: 3, tags: ['a'] })).toEqual({
      values: { colour: 'red', count: 3, tags: ['a'] },
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['nothing of what is needed', {}, /the answer does not fit.*colour/],
    ['another choice', { colour: 'blue' }, /colour/],
    ['another type', { colour: 'red', count: 'three' }, /count/],
    ['less than the least', { colour: 'red', count: 0 }, /count/],
    ['something nested', { colour: { a: 1 } }, /each value is/],
    ['far too much', { colour: 'x'.repeat(70_000) }, /longer than/],
  ])('is refused: %s', (_, given, fault) => {
    const checked = checkAnswer(request, given);
    expect('fault' in checked ? checked.fault : null).toMatch(fault);
  });

  it('is a mere yes where no values are asked for', () => {
    expect(checkAnswer(null, {})).toEqual({ values: {} });
    expect(checkAnswer(null, { colour: 'red' })).toMatchObject({ fault: expect.stringContaining('no values') });
  });
});
