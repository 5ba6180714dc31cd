import { describe, expect, it } from '@jest/globals';
import { openWay, openWays, type NetworkPolicy } from './network.js';

const way = { host: 'grafana.lan', port: 3000, private: true };
const full: NetworkPolicy = {
  mode: 'allow',
  rules: Array.from({ length: 200 }, (_, n) => ({ host: `h${n}.lan`, ports: [443], private: true })),
};

describe('one more way out', () => {
  it('is opened beside those that are, in the rule of its host', () => {
    const open = openWay({ mode: 'none' }, way);
    expect(open).toEqual({ mode: 'allow', rules: [{ host: 'grafana.lan', ports: [3000], private: true }] });
    expect(openWay(open, way)).toBe(open);
    expect(openWay(open, { ...way, port: 80 })).toMatchObject({ rules: [{ ports: [3000, 80] }] });
  });

  it('is refused where no rule more fits, and says what would do', () => {
    expect(() => openWay(full, way)).toThrow(
      expect.objectContaining({
        code: 'network_full',
        message: expect.stringMatching(/^grafana\.lan:3000 .*200 rules.*Take one away: aish set --network/),
      }),
    );
    const outside = { host: 'api.example.org', port: 443, private: false };
    expect(() => openWay(full, outside)).toThrow(/or let one stand for many, as \*\.example\.org$/);
    for (const host of ['10.0.0.7', 'example.org']) {
      expect(() => openWay(full, { ...outside, host })).toThrow(/aish space set --network$/);
    }
    // Nothing more is needed for a host that is there.
    expect(openWay(full, { ...way, host: 'h7.lan' })).toMatchObject({ mode: 'allow' });
  });

  it('is left where others fit', () => {
    const near = { mode: 'allow' as const, rules: full.mode === 'allow' ? full.rules.slice(1) : [] };
    const other = { ...way, host: 'other.lan' };
    const { policy, left } = openWays(near, [way, other, { ...way, port: 80 }]);
    expect(left).toEqual([other]);
    expect(policy.mode === 'allow' ? policy.rules.at(-1) : null).toMatchObject({ ports: [3000, 80] });
  });
});
