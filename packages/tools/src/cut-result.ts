/** A text cut to its head and tail. */
export interface Cut {
  readonly text: string;
  /** The number of bytes of UTF-8 omitted in the middle; 0 if nothing was cut. */
  readonly omittedBytes: number;
}

/**
 * Keeps head and tail of a text, in whole lines if one ends near the cut. It never splits a character.
 *
 * @param maxChars total characters to keep, at least 2.
 * @param note makes the text for the gap from the number of omitted bytes.
 */
export function cutHeadAndTail(text: string, maxChars: number, note: (omittedBytes: number) => string): Cut {
  if (text.length <= maxChars) return { text, omittedBytes: 0 };
  const half = Math.floor(maxChars / 2);
  const head = trimToLine(text.slice(0, isLow(text, half) ? half - 1 : half), 'end');
  const from = text.length - half;
  const tail = trimToLine(text.slice(isLow(text, from) ? from + 1 : from), 'start');
  const omittedBytes = Buffer.byteLength(text.slice(head.length, text.length - tail.length));
  return { text: `${head}\n${note(omittedBytes)}\n${tail}`, omittedBytes };
}

const NEAR_CHARS = 200;

/** Drops the rest of a cut line if it is short. */
function trimToLine(text: string, at: 'start' | 'end'): string {
  const line = at === 'end' ? text.lastIndexOf('\n') : text.indexOf('\n');
  if (line < 0) return text;
  const lost = at === 'end' ? text.length - line : line + 1;
  if (lost > NEAR_CHARS || lost > text.length / 2) return text;
  return at === 'end' ? text.slice(0, line) : text.slice(line + 1);
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
