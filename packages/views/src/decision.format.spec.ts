import { expect, it } from '@jest/globals';
import { RerunReason } from '@aish/contracts/files';
import type { Classification } from '@aish/contracts/safety';
import { formatKeeps, formatReasons, formatVerdict, markGuilty } from './decision.format.js';
import { commandPiece } from './entry.pieces.js';
import { markedLines } from './marked.lines.js';
import { textOf } from './line.js';

const classification: Classification = {
  verdict: 'destructive',
  reason: 'it deletes',
  ruleId: 'files.remove',
  span: [0, 6],
  by: 'rule',
  others: [
    { verdict: 'destructive', reason: 'it wipes a disk', ruleId: 'disk.dd', span: [8, 15] },
    { verdict: 'destructive', reason: 'it deletes', ruleId: 'files.remove', span: [17, 23] },
  ],
  excusedBy: ['own.tmp'],
};
const command = 'rm -ra; dd of=b; rm -rc';

it('a reason of the policy is not labelled as a second opinion', () => {
  const reason = 'rt.sum is not among the tools that run without a question';
  const policy: Classification = { verdict: 'unknown', reason, ruleId: null, span: null, by: 'second-opinion' };
  expect(formatReasons({ reason, classification: policy })).toEqual([reason]);
});

it('a HALT shows each reason once, and the rules that allow a part of the command', () => {
  expect(formatReasons({ reason: 'it deletes', classification })).toEqual([
    'it deletes (files.remove)',
    'it wipes a disk (disk.dd)',
    'your rule own.tmp allows part of it',
  ]);
});

it('every dangerous part of a command is marked with a colour and with carets below the line', () => {
  const guilty = markGuilty(command, classification).filter(({ style }) => style === 'guilty');
  expect(guilty.map(({ text }) => text)).toEqual(['rm -ra', 'dd of=b', 'rm -rc']);
  const [shown = [], marks = []] = markedLines([commandPiece({ kind: 'command', command, classification })]);
  expect([textOf(shown), textOf(marks)]).toEqual([`  $ ${command}`, '    ^^^^^^  ^^^^^^^  ^^^^^^']);
});

it('formatKeeps explains whether proceed keeps the previewed run or why it runs again', () => {
  expect(formatKeeps({ rerunReason: null })).toBe('Proceed keeps this run.');
  for (const rerunReason of RerunReason.options) {
    expect(formatKeeps({ rerunReason })).toMatch(/^Proceed runs it again, because [a-z].{10,}[a-z]\.$/);
  }
});

it('a request for access shows whether it was granted and for whom', () => {
  const given = { verdict: 'proceed', message: null, edited: null, granted: null, carried: false } as const;
  const need = { ...given, state: 'decided', kind: 'need', decidedBy: 'ann', answer: { for: 'goal' } } as const;
  expect(formatVerdict({ ...need, goalId: 'g' })).toBe('given to the goal by ann');
  expect(formatVerdict({ ...need, goalId: null })).toBe('given to the chat by ann');
  expect(formatVerdict({ ...need, goalId: null, answer: { for: 'space' } })).toBe(
    'given to the chat and its space by ann',
  );
  expect(formatVerdict({ ...need, verdict: 'skip', message: 'no' })).toBe('not given by ann: “no”');
});
