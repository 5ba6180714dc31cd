import { describe, expect, it } from '@jest/globals';
import { lineWith, pageOf } from './output-pages.js';

async function* pieces(text: string, size = 7): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size));
}
const numbers = Array.from({ length: 1_000 }, (_, at) => `line ${at + 1}\n`).join('');

describe('pages of a long output', () => {
  it('a page of an output has the requested lines and the total number of lines', async () => {
    expect(await pageOf(pieces(numbers), { from: 998, limit: 2 })).toEqual({
      output: 'line 998\nline 999\n',
      lines: 1_000,
    });
    expect(await pageOf(pieces(`${numbers}end`), { from: 1_000, limit: 9 })).toEqual({
      output: 'line 1000\nend',
      lines: 1_001,
    });
    expect(await pageOf(pieces('a'), { from: 2, limit: 9 })).toEqual({ output: '', lines: 1 });
  });

  it('a page of an output ends early at long lines, so that memory stays bounded', async () => {
    const long = `${'x'.repeat(4_000)}\n`.repeat(3_000);
    const { output, lines } = await pageOf(pieces(long, 65_536), { from: 1, limit: 10_000 });
    expect(output.length).toBeLessThan(1_001 * 4_097);
    expect(output.length).toBeGreaterThan(1_000 * 4_000);
    expect(lines).toBe(3_000);
  });
});

describe('the search for a text in an output', () => {
  const find = (text: string, from: number, back = false, of = numbers) => lineWith(pieces(of), { text, from, back });

  it('a search in an output continues in both directions and wraps around at the end', async () => {
    expect([await find('line 77', 1), await find('line 77', 78), await find('line 77', 780)]).toEqual([77, 770, 77]);
    expect([
      await find('line 77', 779, true),
      await find('line 77', 100, true),
      await find('line 77', 9, true),
    ]).toEqual([779, 77, 779]);
    expect([await find('nowhere', 1), await find('nowhere', 1, true)]).toEqual([null, null]);
  });

  it('a search in an output ignores colours, and ignores case if the text has no capital letters', async () => {
    const coloured = 'a\n\u001b[31mRed\u001b[0m plain\n';
    expect([
      await find('red plain', 1, false, coloured),
      await find('Red plain', 1, false, coloured),
      await find('RED', 1, false, coloured),
      await find('31m', 1, false, coloured),
    ]).toEqual([2, 2, null, null]);
  });
});
