import { describe, expect, it } from '@jest/globals';
import { extract } from './extract.js';
import { rescue } from './rescue.js';

const commandsOf = (text: string): readonly string[] | null => {
  const rescued = rescue(text);
  return rescued === null ? null : extract(rescued.text).commands;
};

describe('rescue', () => {
  it.each([
    ['a fence', 'I look first.\n```bash\nls -la\n```', 'ls -la'],
    ['a fence without a language', '```\nls -la\n```\nThen I go on.', 'ls -la'],
    ['a fence with a prompt', '```console\n$ ls -la\n```', 'ls -la'],
    ['a fence with a comment', '```sh\n# all files\nls -la\n```', 'ls -la'],
    ['a fence with CRLF', '```sh\r\nls -la\r\n```\r\n', 'ls -la'],
    [
      'a fence with a here-document',
      "```bash\ncat > a <<'EOF'\nCMD: rm -rf /\nEOF\n```",
      "cat > a <<'EOF'\nCMD: rm -rf /\nEOF",
    ],
    ['bold marks around the word CMD', '**CMD:** ls *.txt', 'ls *.txt'],
    ['bold marks around the line', '**CMD: ls -la**', 'ls -la'],
    ['code around the line', '`CMD: ls -la`', 'ls -la'],
    ['lower case letters', 'cmd: ls -la', 'ls -la'],
    ['the whole word COMMAND', 'Command: ls -la', 'ls -la'],
    ['a list', '1. CMD: ls -la', 'ls -la'],
    ['a quotation', '> CMD: ls -la', 'ls -la'],
    ['code after the word CMD', '**CMD:** `ls -la`', 'ls -la'],
    ['a sentence that ends with a command', 'Let me run: `ls -la`', 'ls -la'],
    ['a sentence above the command', 'Let me run:\n`ls -la`', 'ls -la'],
    ['code without other text', '`ls -la`', 'ls -la'],
    ['a prompt without other text', '$ ls -la', 'ls -la'],
    ['a fence with a pipe over two lines', '```bash\nls |\n  sort\n```', 'ls | sort'],
    ['a sentence with a full stop', 'I will use the command `ls -la`.', 'ls -la'],
  ])('rescue reads the command from %s', (_, text, command) => {
    expect(commandsOf(text)).toEqual([command]);
  });

  it.each([
    ['a fence with two commands', '```bash\nls\nrm -rf x\n```'],
    ['two fences', '```bash\nls\n```\nand\n```bash\nrm -rf x\n```'],
    ['a fence that is never closed', '```bash\nls -la'],
    ['a fence of another language', '```python\nprint(1)\n```'],
    ['half a here-document', "```bash\ncat > a <<'EOF'\nhalf\n```"],
    ['half a block', '```bash\nfor f in *; do\n```'],
    ['a fence with printed output', '```\nThe file is empty.\n```'],
    ['two pieces of code', 'Do not run `rm -rf /`, run: `ls`'],
    ['a prompt with its output', '$ ls\na.txt'],
    ['only a file name', '`Notes on it.`'],
    ['half a pipe', '```bash\nls |\n```'],
    ['plain text', 'I would run a command to see what is there.'],
    ['a word that is not an action', 'Goal: find the files'],
    ['a description of a task', '**Goal: complete the backup**'],
    ['an explanation', 'Command: The shell waits for more.'],
  ])('rescue takes nothing from %s', (_, text) => {
    expect(commandsOf(text)).toBeNull();
  });

  it('rescue also reads the line that ends a goal', () => {
    expect(extract(rescue('**GOAL: complete**\nThere are 3.')?.text ?? '').goalLine).toEqual({
      kind: 'complete',
      summary: 'There are 3.',
    });
  });
});
