import { describe, expect, it } from '@jest/globals';
import { unusable, type FirstAnswer } from './usable.js';

const good: FirstAnswer = { written: 'I look.\nCMD: ls -la', cut: null, finishReason: 'stop', faults: [undefined] };

describe('usable first answers', () => {
  it.each<[string, Partial<FirstAnswer>, ReturnType<typeof unusable>]>([
    ['ends by itself with an action', {}, null],
    ['ends with a tool call', { written: '', finishReason: 'tool_calls' }, null],
    ['speaks of an output before its action', { written: 'Output: goes to a file.\nCMD: ls > a' }, null],
    ['has one action that can run beside one that cannot', { faults: ['no such tool', undefined] }, null],
    ['has no action', { written: 'I would look at the files.', faults: [] }, 'no action'],
    ['has an action that cannot run', { faults: ['no such tool'] }, 'no action'],
    ['is cut by the limit', { finishReason: 'length' }, 'no end'],
    ['repeats itself', { cut: 'repeats', finishReason: null }, 'no end'],
    ['is empty', { written: '', cut: 'empty', faults: [] }, 'no end'],
    ['is cut where it invents', { cut: 'invented', finishReason: null }, 'invented'],
    ['shows a result as aish does', { written: 'CMD: ls\n[exec] $ ls\nexit code 0\n| a' }, 'invented'],
    ['shows a result under a heading', { written: 'CMD: ls\n\n**Output:**\n```\na.txt\n```' }, 'invented'],
    [
      'invents a result and is cut by the limit',
      { written: 'CMD: ls\nResult:\na', finishReason: 'length' },
      'invented',
    ],
    ['speaks for the user', { written: 'CMD: ls\nUser: it printed a.txt' }, 'invented'],
  ])('the rating recognises a first answer that %s', (_, more, expected) => {
    expect(unusable({ ...good, ...more })).toBe(expected);
  });
});
