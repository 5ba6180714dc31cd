import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { OUTPUT_LINE_MAX_CHARS, OutputLines, outputLines } from './output-lines.js';

describe('the lines of an output', () => {
  it('the lines of an output contain its whole text, and do not depend on how the text is split', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', 'a\n', '', '🜁'.repeat(3_000), 'x'.repeat(OUTPUT_LINE_MAX_CHARS), '\r\n'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const lines = new OutputLines();
        const cut = [...pieces.flatMap((each) => lines.push(each)), ...lines.end()];
        expect(cut).toEqual(outputLines(text));
        expect(cut.join('')).toBe(text);
        for (const line of cut) {
          expect(line.length).toBeLessThanOrEqual(OUTPUT_LINE_MAX_CHARS + 1);
          expect(line.slice(0, -1)).not.toContain('\n');
        }
      }),
    );
  });

  it('a very long line of output is split, and no character is cut in half', () => {
    expect(outputLines(`a${'🜁'.repeat(OUTPUT_LINE_MAX_CHARS)}\nb`).map((line) => line.length)).toEqual([
      OUTPUT_LINE_MAX_CHARS - 1,
      OUTPUT_LINE_MAX_CHARS,
      3,
      1,
    ]);
  });
});
