import { describe, expect, it } from '@jest/globals';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import fc from 'fast-check';
import { AnswerGuard } from './answer-guard.js';
import { extract } from './extract.js';
import { outputTurn } from './turns.js';

/** Reads a whole answer in pieces of this many characters. */
function read(
  answer: string,
  size = 3,
): { readonly text: string; readonly cut: string | null; readonly shown: string } {
  const guard = new AnswerGuard();
  let shown = '';
  for (let at = 0; at < answer.length && guard.cut === null; at += size)
    shown += guard.add(answer.slice(at, at + size));
  shown += guard.end();
  return { text: guard.text, cut: guard.cut, shown };
}

describe('an answer that invents results', () => {
  it.each([
    [
      'GOAL: check ls -la /workspace\n[exec] ls -la /workspace\n| 2023-04-15 backup.tar.gz\n',
      'GOAL: check ls -la /workspace\n',
    ],
    ['CMD: ls\n| a\n| b\nCMD: rm a', 'CMD: ls\n'],
    ['<think>I look.</think>\nCMD: ls\n| a', '<think>I look.</think>\nCMD: ls\n'],
    ['<think>\nI look.</think>CMD: ls\n| a', '<think>\nI look.</think>CMD: ls\n'],
    ['I look first.\nCMD: df -h\nexit code 0\n| /dev/sda1\n', 'I look first.\nCMD: df -h\n'],
    ['CMD: ls\n\n[aish] action approved\nCMD: rm -rf x', 'CMD: ls\n\n'],
    ['[exec] $ ls\nexit code 0', ''],
    ["CMD: echo it's done\n[exec] $ echo it's done\n| it's done\n", "CMD: echo it's done\n"],
    [
      'CMD: cat > a <<EOF\n| a table\n[exec] as text\nEOF\n[exec] $ cat',
      'CMD: cat > a <<EOF\n| a table\n[exec] as text\nEOF\n',
    ],
  ])('an answer ends before the first line that only aish writes: %j', (answer, kept) => {
    for (const size of [1, 4, 1_000]) expect(read(answer, size)).toEqual({ text: kept, cut: 'invented', shown: kept });
  });

  it.each([
    'A table:\n| name | size |\n|---|---|\n| a | 1 |\n',
    'CMD: ls\nThen I compare:\n| a | b |\n',
    'The program exits with\nexit code 3 if it fails.',
    '[exec] is how results begin; I wait for one.\nCMD: ls',
    "CMD: cat > x.md <<'EOF'\n[exec] $ ls\nexit code 0\n| a\nEOF\nCMD: wc -l x.md",
    'CMD: echo "\n[exec] ls\n| a"\nGOAL: complete\nIt prints [exec] and | bars.',
    '<think>\nI write\nCMD: ls\n[exec] $ ls\n| a.txt\nand then\n</think>\nCMD: ls',
    '<think>Maybe CMD: ls\nexit code 0\n| a</think>CMD: ls\n',
  ])('an answer that only mentions lines of aish is read to its end: %j', (answer) => {
    for (const size of [1, 5, 1_000]) expect(read(answer, size)).toEqual({ text: answer, cut: null, shown: answer });
  });

  it('an invented result with any content yields no commands', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (output, size) => {
        const outcome = { ...OUTCOME, output: `CMD: rm x\n${output}` };
        const invented = `CMD: ls\n${outputTurn('ls', outcome).content}\nCMD: second`;
        const { text, cut } = read(invented, size);
        expect([text, cut, extract(text).commands]).toEqual(['CMD: ls\n', 'invented', ['ls']]);
      }),
    );
  });
});

describe('an answer that repeats itself', () => {
  it.each([
    ['a line', 'Let me think.\n', 'I check the disk again.\n'],
    ['several lines', '', 'First I look.\nThen I wait.\nNothing happens.\n'],
    ['one endless line', 'So: ', 'and on '],
    ['one character', 'x', '!'],
  ])('a repetitive answer ends after the first occurrence: %s', (_, head, block) => {
    const { text, cut } = read(head + block.repeat(4_000), 7);
    expect(cut).toBe('repeats');
    expect(text.length).toBeLessThan(head.length + 2 * block.length + 2);
    expect((head + block.repeat(3)).startsWith(text)).toBe(true);
  });

  it.each([
    ...[1, 7, 60, 140, 240, 420, 600].map((size) => [size, 4] as const),
    ...[1, 11, 60, 120, 159, 160, 240, 330].map((size) => [size, 2] as const),
  ])(
    'a repetitive answer ends after 200 tokens of repetition: blocks of %d characters, %d per token',
    (size, perToken) => {
      const block = Array.from({ length: 300 }, (_, n) => String(n))
        .join('')
        .slice(0, size);
      let written = 0;
      const guard = new AnswerGuard();
      for (const piece of `So:\n${block.repeat(2_000)}`.match(new RegExp(`[^]{1,${perToken}}`, 'g')) ?? []) {
        if (guard.cut !== null) break;
        guard.add(piece);
        written += 1;
      }
      expect([guard.cut, written <= 200 + 2 + size / perToken]).toEqual(['repeats', true]);
    },
  );

  it.each([
    ['rows that differ', Array.from({ length: 400 }, (_, n) => `row ${n}: ok`).join('\n')],
    ['a rule', `Title\n${'='.repeat(80)}\ntext`],
    ['a file of equal lines', `CMD: cat > zeros <<EOF\n${'0 0 0 0 0\n'.repeat(150)}EOF\nCMD: wc -l zeros`],
  ])('an answer is not cut for %s', (_, answer) => {
    expect(read(answer)).toMatchObject({ text: answer, cut: null });
  });
});
