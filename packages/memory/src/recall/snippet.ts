import { isFiller } from '@aish/ranking';

const SNIPPET_MAX_CHARS = 300;
/** What stands before the first word that was asked for. */
const BEFORE_CHARS = 60;

/** The part of a text that holds most words of a question, or its beginning; in one line. */
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
