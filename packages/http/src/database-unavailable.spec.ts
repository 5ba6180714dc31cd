import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnavailable } from './database-unavailable.js';

describe('isDatabaseUnavailable', () => {
  it.each([
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })],
    [
      'two refused connections, as for localhost',
      new AggregateError([Object.assign(new Error(''), { code: 'ECONNREFUSED' })]),
    ],
    ['a server that was told to end', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['a server that is starting', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
    ['no free connection', Object.assign(new Error('too many clients already'), { code: '53300' })],
    ['a pool that waited in vain', new Error('timeout exceeded when trying to connect')],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
  ])('the database counts as unreachable after %s', (_, error) => expect(isDatabaseUnavailable(error)).toBe(true));

  it.each([
    ['a constraint', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a bug in aish', new TypeError('x is not a function')],
    ['a value that is not an error', 'ECONNREFUSED'],
  ])('the database does not count as unreachable after %s', (_, error) =>
    expect(isDatabaseUnavailable(error)).toBe(false),
  );
});
