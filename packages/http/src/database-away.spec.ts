import { describe, expect, it } from '@jest/globals';
import { isDatabaseAway } from './database-away.js';

describe('isDatabaseAway', () => {
  it.each([
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })],
    ['two of them, as for localhost', new AggregateError([Object.assign(new Error(''), { code: 'ECONNREFUSED' })])],
    ['a server that was told to end', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['a server that starts', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
    ['no free connection', Object.assign(new Error('too many clients already'), { code: '53300' })],
    ['a pool that waited in vain', new Error('timeout exceeded when trying to connect')],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
  ])('takes %s for it', (_, error) => expect(isDatabaseAway(error)).toBe(true));

  it.each([
    ['a constraint', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a fault of ours', new TypeError('x is not a function')],
    ['what is no error', 'ECONNREFUSED'],
  ])('does not take %s for it', (_, error) => expect(isDatabaseAway(error)).toBe(false));
});
