import { describe, expect, it } from '@jest/globals';
import { checkedLines, differs } from './report.js';

const reportOf = (summary: string, output: string | null = null, exitCode = 0) => ({
  summary,
  checked: output === null ? null : { command: 'df -h /', exitCode, output },
});

describe('a report that is sent only if it differs', () => {
  it('two reports that differ only in times and formatting count as equal', () => {
    const before = reportOf('Checked at 2026-11-24T03:00:12Z, took 4.2 s.\nAll 3 disks are fine.', '03:00:13 ok');
    const now = reportOf('checked at 2026-11-25 03:00, took 12 s. All 3 disks  are fine.', '03:00:02 ok');
    expect(differs(before, now)).toBe(false);
  });

  it.each([
    ['another number', reportOf('All 3 disks are fine.'), reportOf('All 2 disks are fine.')],
    ['another word', reportOf('All 3 disks are fine.'), reportOf('All 3 disks are slow.')],
    ['another output of the check', reportOf('Fine.', '41%'), reportOf('Fine.', '97%')],
    ['another end of the check', reportOf('Fine.', 'x'), reportOf('Fine.', 'x', 1)],
    ['a check where none was', reportOf('Fine.'), reportOf('Fine.', 'x')],
  ])('two reports count as different if the second one has %s', (_what, before, now) => {
    expect(differs(before, now)).toBe(true);
  });

  it('a report of a schedule lists its checks as Markdown', () => {
    expect(checkedLines(reportOf('Fine.', '41% used\n'))).toEqual([
      'Checked: `df -h /`, exit 0',
      '```',
      '41% used',
      '```',
    ]);
    expect(checkedLines(reportOf('Fine.'))).toEqual([]);
  });
});
