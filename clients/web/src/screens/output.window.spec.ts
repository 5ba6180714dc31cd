import { describe, expect, it } from '@jest/globals';
import {
  PAGE_LINES,
  isHere,
  linesAfter,
  linesAround,
  linesBefore,
  withAfter,
  withBefore,
  type Lines,
  type OutputPage,
} from './output.window.js';

const TOTAL = 2_050;
const read = ({ from, limit }: Lines): OutputPage => ({
  from,
  lines: Array.from({ length: Math.max(0, Math.min(limit, TOTAL - from + 1)) }, () => []),
});
const numbers = (pages: readonly OutputPage[]): number[] =>
  pages.flatMap(({ from, lines }) => lines.map((_, index) => from + index));

describe('the loaded pages of an output', () => {
  it('reading to the end and back loads the pages of an output in order, and at most three stay loaded', () => {
    let pages: readonly OutputPage[] = [];
    const seen = new Set<number>();
    const look = (): void => {
      expect(pages.length).toBeLessThanOrEqual(3);
      const here = numbers(pages);
      expect(here).toEqual(here.map((_, index) => (here[0] ?? 0) + index));
      for (const each of here) seen.add(each);
    };
    for (let next = linesAfter(pages, TOTAL); next !== null; next = linesAfter(pages, TOTAL)) {
      pages = withAfter(pages, read(next));
      look();
    }
    expect([seen.size, numbers(pages).at(-1)]).toEqual([TOTAL, TOTAL]);
    seen.clear();
    look();
    for (let before = linesBefore(pages); before !== null; before = linesBefore(pages)) {
      pages = withBefore(pages, read(before));
      look();
    }
    expect(pages[0]?.from).toBe(1);
    expect(seen.size).toBe(TOTAL);
  });

  it.each([1, 2, PAGE_LINES, 1_000, TOTAL - 1, TOTAL])('a jump to line %d loads a full page with this line', (line) => {
    const page = read(linesAround(line, TOTAL));
    expect(page.lines).toHaveLength(PAGE_LINES);
    expect(isHere([page], line)).toBe(true);
    const rest = linesBefore([page]);
    expect(rest === null ? 1 : rest.from + rest.limit).toBe(page.from);
  });

  it('a completely loaded output has no further page to load', () => {
    const page: OutputPage = { from: 1, lines: [[], []] };
    expect([linesAfter([page], 2), linesBefore([page]), isHere([page], 3)]).toEqual([null, null, false]);
    expect(linesAround(2, 2)).toEqual({ from: 1, limit: PAGE_LINES });
  });
});
