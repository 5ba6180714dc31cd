import { Lexer, type Token, type Tokens } from 'marked';
import { line, lineWidth, span, type Line } from '../text/line.js';
import { cleanText } from '../text/sanitise.js';
import { wrapSpans, wrapText } from '../text/wrap.js';
import { highlight } from './highlight.js';
import { inlineSpans } from './inline.js';
import { tableLines } from './table.lines.js';

const MIN_WIDTH = 12;

/** Markdown as lines of at most `width` cells. The text may be anything; it is cleaned here. */
export function markdownLines(text: string, width: number): Line[] {
  return blockLines(blocksOf(cleanText(text)), Math.max(MIN_WIDTH, width));
}

/** The blocks of clean Markdown, in order; their `raw` joined is the text. */
export function blocksOf(text: string): Token[] {
  return new Lexer({ gfm: true }).lex(text);
}

/** Blocks as lines, with a blank line where the text has one. */
export function blockLines(blocks: readonly Token[], width: number): Line[] {
  const lines: Line[] = [];
  for (const block of blocks) {
    if (block.type !== 'space') lines.push(...linesOf(block, width));
    // Some blocks carry the blank line that follows them.
    if ((block.type === 'space' || /\n[ \t]*\n$/.test(block.raw)) && !isBlank(lines.at(-1))) lines.push(line(''));
  }
  return lines;
}

function linesOf(token: Token, width: number): Line[] {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const lines = wrapSpans([...inlineSpans(tokens, 'heading')], width);
      const underline = '─'.repeat(Math.min(width, Math.max(...lines.map(lineWidth))));
      return depth > 1 ? lines : [...lines, line(underline, 'dim')];
    }
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return codeLines(text, lang ?? '', width);
    }
    case 'list':
      return listLines(token as Tokens.List, width);
    case 'blockquote': {
      const inner = blockLines((token as Tokens.Blockquote).tokens, width - 2);
      return trimmed(inner).map((each) => [span('│ ', 'dim'), ...each]);
    }
    case 'table': {
      const table = token as Tokens.Table;
      // A table with more columns than there is room for is easier to read as it was written.
      const fits = width >= table.header.length * 6 + 1;
      return fits ? tableLines(table, width) : wrapText(table.raw.trimEnd(), 'plain', width);
    }
    case 'hr':
      return [line('─'.repeat(Math.min(width, 40)), 'dim')];
    case 'def':
      return wrapText(token.raw.trimEnd(), 'dim', width);
    case 'html':
      return wrapText(token.raw.trimEnd(), 'plain', width);
    default: {
      const inner = 'tokens' in token && token.tokens !== undefined ? token.tokens : [token];
      return wrapSpans(inlineSpans(inner), width);
    }
  }
}

function codeLines(code: string, language: string, width: number): Line[] {
  const name = language.split(/[\s{,]/)[0] ?? '';
  const lines = wrapSpans(highlight(code, name), width - 2, { exact: true });
  return lines.map((each) => [span('▏ ', 'dim'), ...each]);
}

function listLines({ items, ordered, start }: Tokens.List, width: number): Line[] {
  const first = typeof start === 'number' ? start : 1;
  const digits = String(first + items.length - 1).length;
  return items.flatMap((item, index) => {
    const bullet = ordered ? `${String(first + index).padStart(digits)}. ` : '• ';
    const lead = `${bullet}${item.task ? (item.checked === true ? '☑ ' : '☐ ') : ''}`;
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox');
    const inner = trimmed(blockLines(tokens, Math.max(4, width - lead.length)));
    const shown = inner.length === 0 ? [line('')] : inner;
    const lines = shown.map((each, at): Line => [span(at === 0 ? lead : ' '.repeat(lead.length), 'accent'), ...each]);
    return item.loose && index < items.length - 1 ? [...lines, line('')] : lines;
  });
}

function trimmed(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex((each) => !isBlank(each)) + 1);
}

/** Nothing counts as blank, too: no blank line begins a text. */
function isBlank(content: Line | undefined): boolean {
  return content === undefined || content.every(({ text }) => text.trim() === '');
}
