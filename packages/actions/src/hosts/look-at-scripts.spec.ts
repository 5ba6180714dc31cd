import { expect, it } from '@jest/globals';
import type { HostFile } from '@aish/contracts/execution-context';
import { bindingOf } from '../execution-context.js';
import { withHostFiles } from './look-at-scripts.js';

it('a grant covers a script on a host only with the content that the person saw', () => {
  const around = { folder: '/workspace', variables: [], digest: 'a' };
  const script: HostFile = { host: 'nas', path: '/tidy.sh', content: 'one', bytes: 3, head: 'one', finding: null };
  const binding = (...files: HostFile[]) => bindingOf(withHostFiles(around, files), [], ['nas']);
  const given = binding(script);
  expect(binding({ ...script })).toBe(given);
  const others = [
    binding({ ...script, content: 'two' }),
    binding({ ...script, content: null }),
    binding({ ...script, host: 'pi' }),
    binding({ ...script, path: '/other.sh' }),
    binding(script, { ...script, path: '/other.sh' }),
    binding(),
  ];
  expect(others).not.toContain(given);
});
