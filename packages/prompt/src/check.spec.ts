import { describe, expect, it } from '@jest/globals';
import { provesNothing } from './check.js';

describe('a check', () => {
  it.each([
    'true',
    ':',
    'echo done',
    'echo "a; b" ',
    'ls',
    'ls -la',
    'pwd',
    'exit 0',
    'test -f out.txt || true',
    'test -f out.txt; echo ok',
    'grep -c x out.txt | wc -l',
    'cat out.txt | head -n 3',
    'true && echo fine',
    '/bin/true',
    'command true',
    'ls /workspace',
    'ls -la /workspace/ 2>/dev/null',
    'cd /workspace && ls',
    'echo ok > /dev/null 2>&1',
    'find . -name out.txt',
    'df -h',
  ])('a check that cannot fail proves nothing: %s', (command) => {
    expect(provesNothing(command)).toBe(true);
  });

  it.each([
    'test -f out.txt',
    'test -f out.txt && echo ok',
    'ls out.txt',
    'ls -l out.txt',
    'cat out.txt',
    'head -n 1 out.txt',
    'false || test -f x',
    'echo x > /sys/y',
    'set -e; test -f x; true',
    '[ "$(wc -l < out.txt)" = 3 ]',
    'exit 1',
    'ls /workspace/out.txt',
    'ls 2>/dev/null missing',
    'cd out && ls',
    'find . -name out.txt | grep -q .',
    'find out.txt',
    'find . -exec grep -q x {} +',
    'env',
    'time',
    'echo x >/dev/null/y',
    "echo 'a' | grep -q b",
    'echo $(cat x)',
    '',
  ])('a check that can or might fail is accepted: %s', (command) => {
    expect(provesNothing(command)).toBe(false);
  });
});
