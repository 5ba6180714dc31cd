import type { Piece, Text } from './entry.pieces.js';
import { textOf } from './line.js';

/**
 * Formats pieces as Markdown. Text of a model or person is a quote and output is a fence, so neither can be mistaken
 * for aish's own text.
 */
export function piecesMarkdown(pieces: readonly Piece[]): string {
  const blocks = pieces.map(blockOf).filter((block) => block !== '');
  return blocks.map((block, at) => `${block}${isItem(block) && isItem(blocks[at + 1]) ? '\n' : '\n\n'}`).join('').trimEnd(); // prettier-ignore
}

const isItem = (block: string | undefined): boolean => block?.startsWith('- ') === true;

function blockOf(piece: Piece): string {
  switch (piece.as) {
    case 'gap':
      return '';
    case 'text':
      return textBlock(piece);
    case 'body':
    case 'thought':
      return quote(piece.text);
    case 'output':
      return fence(piece.text);
  }
}

function textBlock({ by, spans, depth, role }: Text): string {
  const text = textOf(spans);
  if (by !== undefined) return quote(text);
  if (role === 'command') return fence(text);
  return depth === 0 ? `## ${escaped(text)}` : `- ${escaped(text)}`;
}

/** Returns a fence that is longer than any fence inside the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replaceAll(/[\\`*_[\]<>#]/g, '\\$&'); // prettier-ignore
}
