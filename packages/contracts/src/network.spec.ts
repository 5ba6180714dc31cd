import { describe, expect, it } from '@jest/globals';
import { allowDestination, allowDestinations, type NetworkPolicy } from './network.js';

const way = { host: 'grafana.lan', port: 3000, private: true };
const full: NetworkPolicy = {
  mode: 'allow',
  rules: Array.from({ length: 200 }, (_, n) => ({ host: `h${n}.lan`, ports: [443], private: true })),
};

describe('adding an allowed destination', () => {
  it('allowDestination adds a new port to the existing rule of its host', () => {
    const open = allowDestination({ mode: 'none' }, way);
    expect(open).toEqual({ mode: 'allow', rules: [{ host: 'grafana.lan', ports: [3000], private: true }] });
    expect(allowDestination(open, way)).toBe(open);
    expect(allowDestination(open, { ...way, port: 80 })).toMatchObject({ rules: [{ ports: [3000, 80] }] });
  });

  it('allowDestination fails if no more rules fit, and the error says what to do', () => {
    expect(() => allowDestination(full, way)).toThrow(
      expect.objectContaining({
        code: 'network_full',
        message: expect.stringMatching(/^grafana\.lan:3000 .*200 rules.*Remove a rule with aish set --network/),
      }),
    );
    const outside = { host: 'api.example.org', port: 443, private: false };
    expect(() => allowDestination(full, outside)).toThrow(/or replace several with \*\.example\.org$/);
    for (const host of ['10.0.0.7', 'example.org']) {
      expect(() => allowDestination(full, { ...outside, host })).toThrow(/aish space set --network$/);
    }
    // A host that already has a rule needs no further rule.
    expect(allowDestination(full, { ...way, host: 'h7.lan' })).toMatchObject({ mode: 'allow' });
  });

  it('allowDestinations adds the destinations that fit, and returns the rest', () => {
    const near = { mode: 'allow' as const, rules: full.mode === 'allow' ? full.rules.slice(1) : [] };
    const other = { ...way, host: 'other.lan' };
    const { policy, left } = allowDestinations(near, [way, other, { ...way, port: 80 }]);
    expect(left).toEqual([other]);
    expect(policy.mode === 'allow' ? policy.rules.at(-1) : null).toMatchObject({ ports: [3000, 80] });
  });
});
