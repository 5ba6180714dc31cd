import { describe, expect, it } from '@jest/globals';
import { Connections, connectionEvents } from './connections.js';

const frame = { type: 'network', host: 'www.example.org', port: 443, allowed: true, reason: 'rule' } as const;

describe('the connections of a run', () => {
  it('connections of a run are merged by destination and answer, with the last count', () => {
    const connections = new Connections();
    connections.take({ ...frame, count: 1 });
    connections.take({ ...frame, allowed: false, reason: 'no rule', count: 2 });
    connections.take({ ...frame, count: 7 });
    const list = connections.list();
    expect(list.map(({ allowed, count }) => [allowed, count])).toEqual([
      [true, 7],
      [false, 2],
    ]);
    const of = { goalId: null, actionId: 'a', step: 3 };
    expect(connectionEvents(of, list)[0]).toEqual({ ...frame, type: 'network.connection', ...of, count: 7 });
  });
});
