import type { Line } from '@aish/views/line';

/** The lines of one page. `from` is the number of its first line, counted from 1. */
export interface OutputPage {
  readonly from: number;
  readonly lines: readonly Line[];
}

export interface Lines {
  readonly from: number;
  readonly limit: number;
}

export const PAGE_LINES = 400;
/** This many consecutive pages stay loaded. Other pages are requested again. */
const PAGES_MAX = 3;

export function withAfter(pages: readonly OutputPage[], page: OutputPage): readonly OutputPage[] {
  return [...pages, page].slice(-PAGES_MAX);
}

export function withBefore(pages: readonly OutputPage[], page: OutputPage): readonly OutputPage[] {
  return [page, ...pages].slice(0, PAGES_MAX);
}

/** Returns the page after the loaded ones, or null at the end. */
export function linesAfter(pages: readonly OutputPage[], total: number): Lines | null {
  const last = pages.at(-1);
  const from = last === undefined ? 1 : last.from + last.lines.length;
  return from > total ? null : { from, limit: PAGE_LINES };
}

/** Returns the page before the loaded ones, or null at the start. */
export function linesBefore(pages: readonly OutputPage[]): Lines | null {
  const first = pages[0]?.from ?? 1;
  const from = Math.max(1, first - PAGE_LINES);
  return first === 1 ? null : { from, limit: first - from };
}

/** Returns a page with this line in its middle, or as close to the middle as the ends allow. */
export function linesAround(line: number, total: number): Lines {
  const from = Math.max(1, Math.min(line - PAGE_LINES / 2, total - PAGE_LINES + 1));
  return { from, limit: PAGE_LINES };
}

export function isHere(pages: readonly OutputPage[], line: number): boolean {
  return pages.some(({ from, lines }) => line >= from && line < from + lines.length);
}
