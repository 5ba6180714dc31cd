import { describe, expect, it } from '@jest/globals';
import { tidy } from './tidy.js';

const textOf = (answer: string) => tidy(answer, () => false).text;

describe('tidy', () => {
  it.each([
    ['a stop token', 'CMD: ls<|im_end|>\nCMD: rm x', 'CMD: ls'],
    ['a stop token on its own line', 'CMD: ls\n</s>\nmore', 'CMD: ls'],
    ['the stop token of a call', 'CMD: ls<|eom_id|>', 'CMD: ls'],
    ['the model’s own role', 'assistant:\nCMD: ls', 'CMD: ls'],
    ['the role in bold', '**Assistant:** CMD: ls', 'CMD: ls'],
    ['a byte order mark', '\uFEFFCMD: ls', 'CMD: ls'],
    ['a turn of the user', 'CMD: ls\nuser: it printed a.txt\nCMD: cat a.txt', 'CMD: ls'],
    ['a start token', '<|im_start|>\nCMD: ls', 'CMD: ls'],
    [
      'no user whom an answer names',
      'GOAL: complete\nUser: root\nGroup: wheel',
      'GOAL: complete\nUser: root\nGroup: wheel',
    ],
    ['no tag of an HTML page', 'It says <s>old</s> new.', 'It says <s>old</s> new.'],
    ['nothing', 'CMD: ls\nI say user: as a word', 'CMD: ls\nI say user: as a word'],
  ])('tidy removes %s', (_, answer, text) => {
    expect(textOf(answer)).toBe(text);
  });

  it.each([
    ['closed', '<think>I look.\nCMD: rm x</think>\n\nCMD: ls', 'CMD: ls', 'I look.\nCMD: rm x'],
    ['never closed', '<think>I look.\nCMD: rm x', '', 'I look.\nCMD: rm x'],
    ['opened by the template', 'I look.\n</think>\nCMD: ls', 'CMD: ls', 'I look.'],
  ])('tidy recognizes thoughts that are %s', (_, answer, text, thoughts) => {
    expect(tidy(answer, () => false)).toEqual({ text, thoughts });
  });

  it('tidy does not change text that a command writes into a file', () => {
    const answer = "CMD: cat > a <<'EOF'\n</think>\nuser: x <|im_end|>\nEOF";
    expect(tidy(answer, (before) => before.length > 0).text).toBe(answer);
  });
});
