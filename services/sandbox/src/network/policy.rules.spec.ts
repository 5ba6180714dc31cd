import { describe, expect, it } from '@jest/globals';
import { NetworkPolicy } from '@aish/contracts/network';
import { judge, ruleFor } from './policy.rules.js';
import { connectTarget, type Target } from './target.js';

const policy = NetworkPolicy.parse({
  mode: 'allow',
  rules: [
    { host: '*.example.org', ports: [80, 443] },
    { host: 'nas.lan', ports: [443], private: true },
    { host: '192.168.1.5', ports: [22], private: true },
    { host: '127.0.0.1', ports: [9000], private: true },
    { host: '224.0.0.1', ports: [9000], private: true },
    { host: '8.8.8.8', ports: [53] },
  ],
});
const machine = new Set(['192.168.1.9']);

function verdict(authority: string, addresses: readonly string[]): [boolean, string] {
  const target = connectTarget(authority) as Target;
  const rule = ruleFor(policy, target);
  if (rule === null) return [false, 'no rule'];
  const { allowed, reason } = judge(policy, rule, target, addresses, machine);
  return [allowed, reason];
}

describe('network policies', () => {
  it('a policy allows the names and ports that a rule lists, including wildcards, and nothing else', () => {
    expect(verdict('www.example.org:443', ['151.101.0.1'])).toEqual([true, 'rule *.example.org']);
    expect(verdict('a.b.example.org:80', ['151.101.0.1'])[0]).toBe(true);
    expect(verdict('8.8.8.8:53', ['8.8.8.8'])[0]).toBe(true);
    for (const other of [
      'example.org:443',
      'evilexample.org:443',
      'www.example.org:22',
      'www.example.org.evil.com:443',
    ])
      expect([other, verdict(other, ['1.1.1.1'])]).toEqual([other, [false, 'no rule']]);
  });

  it('a policy allows a private address only through a rule that says `private`', () => {
    expect(verdict('nas.lan:443', ['192.168.1.5'])[0]).toBe(true);
    expect(verdict('www.example.org:443', ['192.168.1.5'])).toEqual([
      false,
      expect.stringContaining('private network'),
    ]);
    // Another rule lists the address, with its own port.
    expect(verdict('192.168.1.5:22', ['192.168.1.5'])[0]).toBe(true);
    expect(verdict('192.168.1.5:443', ['192.168.1.5'])).toEqual([false, 'no rule']);
  });

  it('a policy allows an address of this machine only through a rule for exactly that address', () => {
    expect(verdict('127.0.0.1:9000', ['127.0.0.1'])[0]).toBe(true);
    expect(verdict('nas.lan:443', ['127.0.0.1'])).toEqual([false, expect.stringContaining('belongs to this machine')]);
    expect(verdict('nas.lan:443', ['192.168.1.9'])[0]).toBe(false);
    expect(verdict('nas.lan:443', ['169.254.169.254'])[0]).toBe(false);
  });

  it('no rule of a policy allows an address that cannot be a destination', () => {
    expect(verdict('224.0.0.1:9000', ['224.0.0.1'])).toEqual([false, expect.stringContaining('not an address')]);
  });

  it('a policy refuses a name if any of its addresses is forbidden', () => {
    expect(verdict('www.example.org:443', ['151.101.0.1', '10.0.0.1'])[0]).toBe(false);
    expect(verdict('nas.lan:443', ['192.168.1.5', '0.0.0.0'])).toEqual([
      false,
      expect.stringContaining('not an address'),
    ]);
  });

  it('the policy `none` has no rules', () => {
    expect(ruleFor({ mode: 'none' }, { host: 'www.example.org', port: 443, isAddress: false })).toBeNull();
  });
});
