import { piecesOf } from '@aish/ranking';
import { outlineOf } from '../outline.js';

export interface Piece {
  /** The heading above it; empty where there is none. */
  readonly title: string;
  /** Its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** A Markdown document by its sections, long ones in several pieces. A heading with nothing below stands for itself. */
export function sectionsOf(text: string): Piece[] {
  const headings = outlineOf(text);
  const lines = text.split(/\r\n?|\n/);
  const starts = [{ title: '', line: 1 }, ...headings.map(({ title, line }) => ({ title, line }))];
  return starts.flatMap(({ title, line }, n) => {
    const body = lines.slice(line - 1, (starts[n + 1]?.line ?? lines.length + 1) - 1);
    // The heading stands in the title already.
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
