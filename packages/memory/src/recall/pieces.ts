import { piecesOf, isFiller } from '@aish/ranking';
import { outlineOf } from '../outline.js';

export interface Piece {
  /** The heading above the chunk; empty if there is none. */
  readonly title: string;
  /** The first line of the chunk, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Splits a Markdown document into sections, and long sections into several chunks. A heading without text is a chunk of
 * its own.
 */
export function sectionsOf(text: string): Piece[] {
  const headings = outlineOf(text);
  const lines = text.split(/\r\n?|\n/);
  const starts = [{ title: '', line: 1 }, ...headings.map(({ title, line }) => ({ title, line }))];
  return starts.flatMap(({ title, line }, n) => {
    const body = lines.slice(line - 1, (starts[n + 1]?.line ?? lines.length + 1) - 1);
    // The title contains the heading already.
    const isHeaded = title !== '';
    const pieces = piecesOf(body.slice(isHeaded ? 1 : 0).join('\n'));
    if (isHeaded && pieces.length === 0) return [{ title, line, text: '' }];
    return pieces.map((piece) => ({
      title,
      line: line + piece.line - 1 + (isHeaded ? 1 : 0),
      text: piece.text,
    }));
  });
}

const SNIPPET_MAX_CHARS = 300;
/** Characters before the first matching word. */
const BEFORE_CHARS = 60;

/** Returns the part of a text with most words of a question, or its beginning, on one line. */
export function snippetOf(text: string, question: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= SNIPPET_MAX_CHARS) return line;
  const from = bestStart(line, question);
  const part = line.slice(from, from + SNIPPET_MAX_CHARS);
  return `${from > 0 ? '…' : ''}${part.trim()}${from + SNIPPET_MAX_CHARS < line.length ? '…' : ''}`;
}

function bestStart(line: string, question: string): number {
  const lower = line.toLowerCase();
  const words = (question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isFiller(word));
  const starts = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const held = (at: number): number =>
    starts.filter((other) => other >= at && other < at + SNIPPET_MAX_CHARS - BEFORE_CHARS).length;
  const best = starts.toSorted((a, b) => held(b) - held(a) || a - b)[0] ?? 0;
  return Math.max(0, Math.min(best - BEFORE_CHARS, line.length - SNIPPET_MAX_CHARS));
}
