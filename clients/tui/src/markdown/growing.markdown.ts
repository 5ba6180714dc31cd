import { line, type Line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';
import { blocksOf, type Block } from '@aish/views/markdown.blocks';
import { sourceLines } from './markdown.lines.js';

interface Settled {
  readonly width: number;
  /** The beginning of the text, whose blocks can no longer change. */
  readonly text: string;
  readonly lines: readonly Line[];
}

const MAX_ANSWERS = 8;
const settledOf = new Map<string, Settled>();

/**
 * Returns the lines of Markdown that is still being written. Only the last blocks are parsed again when more text
 * arrives, so long answers cost no more per frame than short ones. @param key identifies the answer; the newest few
 * answers are cached
 */
export function growingMarkdownLines(key: string, text: string, width: number): readonly Line[] {
  const clean = cleanText(text);
  const known = settledOf.get(key);
  const before = known?.width === width && clean.startsWith(known.text) ? known : { width, text: '', lines: [] };
  const rest = clean.slice(before.text.length);
  const blocks = blocksOf(rest);
  if (blocks === null) return [...before.lines, ...wrapText(rest, 'plain', width)];
  const source = rest.split('\n');
  const open = firstOpen(blocks, source);
  const from = blocks[open]?.from ?? 0;
  const settled =
    open === 0 ? before.lines : [...before.lines, ...sourceLines(blocks.slice(0, open), rest, width), line('')];
  if (open > 0)
    remember(key, {
      width,
      text:
        before.text +
        source
          .slice(0, from)
          .map((each) => `${each}\n`)
          .join(''),
      lines: settled,
    });
  return [...settled, ...sourceLines(blocks.slice(open), rest, width)];
}

/** Returns the beginning of a growing text whose lines can no longer change. @param key as for the lines */
export function settledText(key: string): string {
  return settledOf.get(key)?.text ?? '';
}

/** Returns the index of the first block that may still change. A blank line ends a block, except in a list. */
function firstOpen(blocks: readonly Block[], source: readonly string[]): number {
  const isDone = (at: number): boolean => {
    const [last, next] = [blocks[at - 1], blocks[at]];
    if (last === undefined || next === undefined || last.token.type.endsWith('list_open')) return false;
    return source[next.from - 1]?.trim() === '';
  };
  return Math.max(
    0,
    blocks.findLastIndex((_, at) => isDone(at)),
  );
}

function remember(key: string, settled: Settled): void {
  settledOf.delete(key);
  settledOf.set(key, settled);
  const [oldest] = settledOf.keys();
  if (settledOf.size > MAX_ANSWERS && oldest !== undefined) settledOf.delete(oldest);
}
