import { describe, expect, it } from '@jest/globals';
import type { CommandSurroundings } from '@aish/contracts/surroundings';
import type { Classification } from '@aish/contracts/safety';
import { bindingOf, withCarried } from './surroundings.js';

const home: CommandSurroundings = { folder: '/workspace', variables: [], digest: 'a' };
const trapped: CommandSurroundings = { ...home, variables: [{ name: 'LD_PRELOAD', value: '/workspace/x.so' }] };
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

describe('what surrounds a command', () => {
  it('makes unknown what is safe alone, and names what does', () => {
    expect(withCarried(safe, home)).toBe(safe);
    expect(withCarried(safe, trapped)).toEqual({
      ...safe,
      verdict: 'unknown',
      reason: 'earlier commands set what changes its meaning: LD_PRELOAD',
    });
  });

  it('takes nothing from a reason that stands already', () => {
    const destructive: Classification = {
      ...safe,
      verdict: 'destructive',
      reason: 'it deletes',
      ruleId: 'files.remove',
    };
    expect(withCarried(destructive, trapped)).toBe(destructive);
  });

  it('binds a grant to the mounts and hosts, in any order', () => {
    const here = bindingOf(home, ['a', 'b']);
    expect(bindingOf(home, ['b', 'a'])).toBe(here);
    expect(bindingOf(home, ['a'])).not.toBe(here);
    expect(bindingOf({ ...home, digest: 'b' }, ['a', 'b'])).not.toBe(here);
    const onHosts = bindingOf(home, ['a', 'b'], ['nas', 'pi']);
    expect(bindingOf(home, ['a', 'b'], ['pi', 'nas'])).toBe(onHosts);
    expect([here, bindingOf(home, ['a', 'b'], ['nas'])]).not.toContain(onHosts);
  });
});
