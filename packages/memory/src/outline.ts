import MarkdownIt from 'markdown-it';
import type { DocumentHeading } from '@aish/contracts/memory-documents';

/** A heading and the UTF-8 byte where its line begins. */
export interface Heading extends DocumentHeading {
  readonly offsetBytes: number;
}

/** A part of a document: the bytes from `from` up to, but not including, `to`. */
export interface Section {
  readonly heading: Heading;
  readonly from: number;
  /** The end of the section; null for the end of the document. */
  readonly to: number | null;
  /** All headings that match the name equally well, including the chosen one. */
  readonly alike: readonly Heading[];
  /** Whether the name is only part of the title. */
  readonly inPart: boolean;
}

const TITLE_MAX_CHARS = 500;
const LINE_BREAK = /\r\n?|\n/g;

// Only block rules are enabled: text inside a line makes no heading, and a pass over 5 MB takes a tenth of a second.
const markdown = new MarkdownIt('zero', { html: true }).enable([
  'heading',
  'lheading',
  'fence',
  'code',
  'html_block',
  'list',
  'blockquote',
  'hr',
]);
markdown.core.ruler.enableOnly(['normalize', 'block']);

/**
 * Returns the headings of a markdown document according to CommonMark. There are none in code, HTML, lists or quotes. A
 * title is the source text of the heading, on one line.
 */
export function outlineOf(text: string): readonly Heading[] {
  const tokens = markdown.parse(text, {});
  const found: DocumentHeading[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open' || token.level !== 0) continue;
    const title = (tokens[at + 1]?.content ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, TITLE_MAX_CHARS);
    found.push({ line: (token.map?.[0] ?? 0) + 1, depth: Number(token.tag.slice(1)), title });
  }
  return withOffsets(text, found);
}

/** Returns the number of lines in a text. A line break at its end does not start another line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const breaks = text.match(LINE_BREAK)?.length ?? 0;
  return /[\r\n]$/.test(text) ? breaks : breaks + 1;
}

function withOffsets(text: string, headings: readonly DocumentHeading[]): readonly Heading[] {
  const result: Heading[] = [];
  let line = 1;
  let start = 0;
  let bytes = 0;
  let counted = 0;
  const breaks = text.matchAll(LINE_BREAK);
  for (const heading of headings) {
    while (line < heading.line) {
      const next = breaks.next();
      if (next.done === true) break;
      start = next.value.index + next.value[0].length;
      line += 1;
    }
    bytes += Buffer.byteLength(text.slice(counted, start));
    counted = start;
    result.push({ ...heading, offsetBytes: bytes });
  }
  return result;
}

/**
 * Returns the section that `name` means: the text from its heading to the next one of the same or a higher rank,
 * including nested headings. A name is a title, `Parent > Child`, or either with ` [2]` for the second of that name.
 * Case and spaces are ignored. The first match counts: whole titles before parts of titles, in the order of the
 * document.
 */
export function findSection(outline: readonly Heading[], name: string): Section | null {
  const titles = outline.map(({ title }) => plain(title));
  for (const reading of readings(name)) {
    for (const inPart of [false, true]) {
      const alike = outline.filter((_, at) => fits(outline, titles, at, reading, inPart));
      const heading = alike[reading.nth - 1];
      if (heading === undefined) continue;
      const at = outline.indexOf(heading);
      const next = outline.slice(at + 1).find((other) => other.depth <= heading.depth);
      return { heading, from: heading.offsetBytes, to: next?.offsetBytes ?? null, alike, inPart };
    }
  }
  return null;
}

interface Reading {
  readonly wanted: string;
  /** The titles of the parents, followed by the section's own title. */
  readonly path: readonly string[];
  readonly nth: number;
}

/** Returns the possible meanings of a name. The literal one comes first, because titles may end in brackets, too. */
function readings(name: string): readonly Reading[] {
  const reading = (title: string, nth: number): Reading => ({
    wanted: plain(title),
    path: title.split(' > ').map(plain),
    nth,
  });
  const numbered = /^(.+?)\s*\[([1-9]\d{0,3})\]$/.exec(name.trim());
  return [reading(name, 1), ...(numbered === null ? [] : [reading(numbered[1] ?? '', Number(numbered[2]))])];
}

function fits(
  outline: readonly Heading[],
  titles: readonly string[],
  at: number,
  { wanted, path }: Pick<Reading, 'wanted' | 'path'>,
  inPart: boolean,
): boolean {
  const title = titles[at] ?? '';
  if (inPart) return wanted !== '' && title.includes(wanted);
  if (title === wanted) return true;
  if (path.length < 2 || title !== path.at(-1)) return false;
  let parent = parentOf(outline, at);
  for (const part of path.slice(0, -1).toReversed()) {
    if (parent === null || titles[parent] !== part) return false;
    parent = parentOf(outline, parent);
  }
  return true;
}

function parentOf(outline: readonly Heading[], at: number): number | null {
  const depth = outline[at]?.depth ?? 1;
  for (let before = at - 1; before >= 0; before -= 1) {
    if ((outline[before]?.depth ?? 0) < depth) return before;
  }
  return null;
}

function plain(title: string): string {
  return title
    .normalize('NFC')
    .replace(/^#{1,6}\s+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
