import { expect, it } from '@jest/globals';
import { jsonTextOf, jsonValueOf } from './json-text.js';

it('gives the same value for the same text, so that its parts are known', () => {
  const text = '[{"name":"tool"}]';
  const value = jsonValueOf(text) as readonly object[];
  expect(value).toEqual([{ name: 'tool' }]);
  expect(jsonValueOf(`${text.slice(0, 5)}${text.slice(5)}`)).toBe(value);
  expect(jsonTextOf(value[0] ?? {})).toBe('{"name":"tool"}');
  expect(() => jsonValueOf('[')).toThrow(SyntaxError);
});

it('forgets what was read long ago', () => {
  const first = jsonValueOf('["first"]');
  for (let n = 0; n < 100; n += 1) jsonValueOf(`[${n}]`);
  const again = jsonValueOf('["first"]');
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
