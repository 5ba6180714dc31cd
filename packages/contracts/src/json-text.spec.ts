import { expect, it } from '@jest/globals';
import { jsonTextOf, jsonValueOf } from './json-text.js';

it('equal JSON texts return the same cached object', () => {
  const text = '[{"name":"tool"}]';
  const value = jsonValueOf(text) as readonly object[];
  expect(value).toEqual([{ name: 'tool' }]);
  expect(jsonValueOf(`${text.slice(0, 5)}${text.slice(5)}`)).toBe(value);
  expect(jsonTextOf(value[0] ?? {})).toBe('{"name":"tool"}');
  expect(() => jsonValueOf('[')).toThrow(SyntaxError);
});

it('JSON texts that were read long ago are evicted from the cache', () => {
  const first = jsonValueOf('["first"]');
  for (let n = 0; n < 100; n += 1) jsonValueOf(`[${n}]`);
  const again = jsonValueOf('["first"]');
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
