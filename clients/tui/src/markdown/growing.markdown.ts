import { line, type Line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';
import { blocksOf, type Block } from '@aish/views/markdown.blocks';
import { sourceLines } from './markdown.lines.js';

interface Settled {
  readonly width: number;
  /** The beginning of the text whose blocks cannot change any more. */
  readonly text: string;
  readonly lines: readonly Line[];
}

const MAX_ANSWERS = 8;
const settledOf = new Map<string, Settled>();

/**
 * Markdown that is being written. Only its last blocks are parsed again when more has come, so that a long answer costs
 * no more per frame than a short one.
 * @param key Names the answer; the newest few are remembered.
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

/** The first block that may still change: not one before a blank line, but a list goes on behind it. */
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
