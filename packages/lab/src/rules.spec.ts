import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES, NO_HOST_RULES, probeSettings, readRules } from './rules.js';

describe('brief.yaml', () => {
  it('brief.yaml changes the values that it names, and an empty file changes nothing', () => {
    expect(readRules('thresholds: {disk: 80}').thresholds).toEqual({ ...DEFAULT_RULES.thresholds, disk: 80 });
    expect(readRules('')).toEqual(DEFAULT_RULES);
    expect(readRules('hosts:\n  nas:\n    backups: [/tank/backups]\n').hosts['nas']?.backups).toEqual([
      '/tank/backups',
    ]);
  });

  it.each([
    ['an invalid number', 'thresholds:\n  disk: full\n', 2],
    ['a key that does not exist', 'ignore: []\nthresholds:\n  memory: 90\n  dsk: 90\n', 4],
    ['an invalid date', 'ignore:\n  - kind: unit\n    host: nas\n    until: soon\n', 4],
    ['a broken line', 'thresholds:\n  disk: 90\n bad: [\n', 3],
    ['a folder that is not a path', 'hosts:\n  nas:\n    backups:\n      - tank\n', 4],
    ['text that is not a table', 'hello', 1],
  ])('brief.yaml with %s is refused, and the error names the line', (_, yaml, line) => {
    expect(() => readRules(yaml)).toThrow(new RegExp(`^brief\\.yaml, line ${line}: .*The rules have not changed`));
  });

  it('brief.yaml cannot put shell commands into the probe', () => {
    const settings = probeSettings({ ...NO_HOST_RULES, backups: ["/a'; touch /b; '", '/c'] });
    expect(settings.split('\n').slice(0, 2)).toEqual([`BACKUPS='/a'\\''; touch /b; '\\''`, `/c'`]);
  });
});
