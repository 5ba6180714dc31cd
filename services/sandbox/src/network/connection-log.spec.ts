import { describe, expect, it } from '@jest/globals';
import type { CountedConnection } from '@aish/contracts/network';
import { ConnectionLog, type NetworkFrame } from './connection-log.js';

const to = (host: string, allowed = true) => ({ host, port: 443, allowed, reason: allowed ? 'rule' : 'no rule' });

function newLog() {
  const frames: NetworkFrame[] = [];
  const kept: CountedConnection[] = [];
  const log = new ConnectionLog(
    (frame) => void frames.push(frame),
    (connection) => void kept.push(connection),
  );
  return { log, frames, kept };
}

describe('the connections of a run', () => {
  it('the connection log stores and reports each destination once, with a count', () => {
    const { log, frames, kept } = newLog();
    for (const host of ['a', 'b', 'a', 'a']) log.admit(to(host));
    expect(log.list().map(({ host, count }) => [host, count])).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    expect([frames.length, kept.map(({ host }) => host)]).toEqual([2, ['a', 'b']]);
    expect(frames[0]).toEqual({ type: 'network', ...to('a'), count: 1 });
  });

  it('the connection log refuses destinations beyond its limit, and counts further refused ones together', () => {
    const { log } = newLog();
    for (let n = 0; n < 256; n += 1) expect(log.admit(to(`host-${n}`)).allowed).toBe(true);
    const beyond = log.admit(to('one-more'));
    expect([beyond.allowed, beyond.reason]).toEqual([false, expect.stringContaining('256 other destinations')]);
    // Destinations that were reached before stay allowed.
    expect(log.admit(to('host-7')).allowed).toBe(true);
    for (let n = 0; n < 300; n += 1) log.admit(to(`closed-${n}`, false));
    const last = log.list().at(-1);
    expect(log.list().length).toBeLessThanOrEqual(513);
    expect([last?.host, last?.count]).toEqual(['*', 45]);
  });

  it('the connection log continues after a restart from the restored entries', () => {
    const first = newLog();
    for (let n = 0; n < 256; n += 1) first.log.admit(to(`host-${n}`));
    const second = newLog();
    second.log.restore(first.log.list());
    expect(second.log.admit(to('one-more')).allowed).toBe(false);
    second.log.admit(to('host-0'));
    expect([second.frames.length, second.log.list()[0]?.count]).toEqual([1, 2]);
  });
});
