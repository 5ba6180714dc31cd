import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import type { Classification } from '@aish/contracts/safety';
import { bindingOf, withCarried, withoutSecrets } from './execution-context.js';

const home: ExecutionContext = { folder: '/workspace', variables: [], digest: 'a' };
const trapped: ExecutionContext = { ...home, variables: [{ name: 'LD_PRELOAD', value: '/workspace/x.so' }] };
const safe: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

describe('the execution context of a command', () => {
  it('a command that is only safe without carried variables becomes unknown, and the reason names the variables', () => {
    expect(withCarried(safe, home)).toBe(safe);
    expect(withCarried(safe, trapped)).toEqual({
      ...safe,
      verdict: 'unknown',
      reason: 'earlier commands set variables that change its meaning: LD_PRELOAD',
    });
  });

  it('carried variables do not change the verdict and the reason of a destructive command', () => {
    const destructive: Classification = {
      ...safe,
      verdict: 'destructive',
      reason: 'it deletes',
      ruleId: 'files.remove',
    };
    expect(withCarried(destructive, trapped)).toBe(destructive);
  });

  it('a decision masks secrets in the files that it shows, and its digest stays', async () => {
    const key = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
    const files = [{ path: '/workspace/k', use: 'decides', bytes: 40, head: `use ${key}` } as const];
    const shown = await withoutSecrets({ ...home, files });
    expect(shown.files).toMatchObject([{ head: expect.not.stringContaining(key), bytes: 40 }]);
    expect(shown.digest).toBe(home.digest);
  });

  it('a grant for a command is bound to the mounts and hosts, in any order', () => {
    const here = bindingOf(home, ['a', 'b']);
    expect(bindingOf(home, ['b', 'a'])).toBe(here);
    expect(bindingOf(home, ['a'])).not.toBe(here);
    expect(bindingOf({ ...home, digest: 'b' }, ['a', 'b'])).not.toBe(here);
    const onHosts = bindingOf(home, ['a', 'b'], ['nas', 'pi']);
    expect(bindingOf(home, ['a', 'b'], ['pi', 'nas'])).toBe(onHosts);
    expect([here, bindingOf(home, ['a', 'b'], ['nas'])]).not.toContain(onHosts);
  });
});
