import { createHash } from 'node:crypto';

/**
 * The mark at the beginning of aish's part, a comment for org. It contains a digest of the lines that aish wrote, which
 * shows whether a person wrote among them.
 */
export const PART_BEGINS = '# aish begins';
const BEGIN = /^# aish begins\b.*\(([0-9a-f]{16})\)\s*$/;
const END = /^# aish ends\s*$/;

interface Found {
  readonly begin: number;
  /** The line after the part, or the end of the text if there is no end mark. */
  readonly after: number;
  readonly digest: string;
  readonly lines: readonly string[];
}

/** Returns the lines that aish keeps in a page; null if the page has no such part. */
export function partLines(text: string): { readonly digest: string; readonly lines: readonly string[] } | null {
  return findPart(text.split('\n'));
}

/**
 * Returns the page with `lines` as aish's part, in place of the old ones or at the end. Nothing else changes. Lines
 * that a person wrote among aish's lines are moved below the part.
 *
 * @param last the lines that aish last wrote there. With null they are unknown, and every line that aish does not write
 *   now counts as a person's.
 */
export function withPart(text: string, lines: readonly string[], last: readonly string[] | null): string {
  const all = text.split('\n');
  const part = partText(lines);
  const found = findPart(all);
  if (found === null) return `${[...trimmedEnd(all), '', ...part].join('\n')}\n`;
  const own = new Set(last ?? lines);
  const persons = found.lines.filter((line) => line.trim() !== '' && !own.has(line));
  const below = persons.length === 0 ? [] : ['', ...persons];
  const rest = all.slice(found.after);
  return [...all.slice(0, found.begin), ...part, ...below, ...(rest.length === 0 ? [''] : rest)].join('\n');
}

/** Whether aish wrote all the lines between the marks. */
export function isUntouched({
  digest,
  lines,
}: {
  readonly digest: string;
  readonly lines: readonly string[];
}): boolean {
  return digest === partDigest(lines);
}

export function partDigest(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}

function partText(lines: readonly string[]): readonly string[] {
  const digest = partDigest(lines);
  return [`${PART_BEGINS}: it replaces the lines up to its end mark. Write above or below. (${digest})`, ...lines, '# aish ends']; // prettier-ignore
}

function findPart(all: readonly string[]): Found | null {
  const begin = all.findIndex((line) => BEGIN.test(line));
  const digest = BEGIN.exec(all[begin] ?? '')?.[1];
  if (digest === undefined) return null;
  const end = all.findIndex((line, at) => at > begin && END.test(line));
  const lines = all.slice(begin + 1, end === -1 ? all.length : end);
  return { begin, after: end === -1 ? all.length : end + 1, digest, lines };
}

function trimmedEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
