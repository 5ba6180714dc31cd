import type { Line } from '../text/line.js';
import { cleanText } from '../text/sanitise.js';
import { blockLines, blocksOf } from './markdown.lines.js';

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
  const blocks = blocksOf(clean.slice(before.text.length));
  // The last block may still grow; so may a list before a blank line, which a further item would continue.
  const open = blocks.findLastIndex(
    ({ type }, at) => type === 'space' && at < blocks.length - 1 && mayEnd(blocks[at - 1]),
  );
  const done = blocks.slice(0, open + 1);
  const lines = done.length === 0 ? before.lines : [...before.lines, ...blockLines(done, width)];
  if (done.length > 0) remember(key, { width, text: before.text + done.map(({ raw }) => raw).join(''), lines });
  return [...lines, ...blockLines(blocks.slice(open + 1), width)];
}

function mayEnd(block: { readonly type: string } | undefined): boolean {
  return block !== undefined && block.type !== 'list' && block.type !== 'space';
}

function remember(key: string, settled: Settled): void {
  settledOf.delete(key);
  settledOf.set(key, settled);
  const [oldest] = settledOf.keys();
  if (settledOf.size > MAX_ANSWERS && oldest !== undefined) settledOf.delete(oldest);
}
