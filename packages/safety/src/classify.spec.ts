import { describe, expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { PATTERNS } from './patterns.js';

describe.each(PATTERNS)('$id', (pattern) => {
  it.each(pattern.stops)('stops %s', (command) => {
    expect(classify(command)).toMatchObject({ verdict: 'destructive' });
    expect(pattern.expression.test(command)).toBe(true);
  });

  it.each(pattern.passes)('passes %s', (command) => {
    expect(pattern.expression.test(command)).toBe(false);
  });
});

describe('classify', () => {
  it('names the rule and marks the guilty part of the command', () => {
    const command = 'cd /srv && rm -rf old && ls';
    const { ruleId, span } = classify(command);
    expect(ruleId).toBe('files.rm-recursive-force');
    expect(command.slice(span?.[0], span?.[1])).toBe('rm -rf old');
  });

  it('lets reading and building pass', () => {
    for (const command of ['ls -la', 'find /usr/share -type f | sort -rn | head -3', 'make -j2', 'cat rm.txt']) {
      expect(classify(command).verdict).toBe('safe');
    }
  });

  it('answers within a moment for 32 KB of hostile text', () => {
    const started = performance.now();
    for (const unit of ['rm - ', 'find ', 'git push -', 'rm x ', 'dd of ']) classify(unit.repeat(32_768 / unit.length));
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
