import type { FindInOutput, ReadOutput } from '@aish/contracts/actions';
import { OUTPUT_LINE_MAX_CHARS, OutputLines } from '@aish/contracts/output-lines';

/** A page always has room for a thousand lines. */
const PAGE_MAX_CHARS = 1_000 * (OUTPUT_LINE_MAX_CHARS + 1);
const ESC = '\u001b';
// A search ignores colours and cursor movements.
const ESCAPES = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007${ESC}]*(?:\u0007|${ESC}\\)?)`, 'g');

/**
 * Returns lines of a text that arrives in pieces. Only the requested page is held in memory. `lines` is the total
 * number of lines.
 */
export async function pageOf(
  pieces: AsyncIterable<string>,
  { from, limit }: ReadOutput,
): Promise<{ readonly output: string; readonly lines: number }> {
  const page: string[] = [];
  let chars = 0;
  let lines = 0;
  for await (const line of linesOf(pieces)) {
    lines++;
    if (lines < from || page.length >= limit || chars >= PAGE_MAX_CHARS) continue;
    page.push(line);
    chars += line.length;
  }
  return { output: page.join(''), lines };
}

/** @returns the number of the first line that contains the text, or null if no line does */
export async function lineWith(
  pieces: AsyncIterable<string>,
  { text, from, back }: FindInOutput,
): Promise<number | null> {
  const isExact = text !== text.toLowerCase();
  let number = 0;
  let first: number | null = null;
  let before: number | null = null;
  let last: number | null = null;
  for await (const line of linesOf(pieces)) {
    number++;
    const shown = line.includes(ESC) ? line.replaceAll(ESCAPES, '') : line;
    if (!(isExact ? shown : shown.toLowerCase()).includes(text)) continue;
    if (!back && number >= from) return number;
    first ??= number;
    if (number <= from) before = number;
    last = number;
  }
  return back ? (before ?? last) : first;
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const lines = new OutputLines();
  for await (const piece of pieces) yield* lines.push(piece);
  yield* lines.end();
}
