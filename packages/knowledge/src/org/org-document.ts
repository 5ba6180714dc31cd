import { linksIn, type OrgLink } from './org-links.js';

/** A position in the text: the offset of the first character and the offset after the last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface OrgProperty {
  /** The key in upper case, as Emacs compares keys. */
  readonly key: string;
  readonly value: string;
  readonly line: number;
  /** The position of the value. */
  readonly span: Span;
}

interface OrgKeyword {
  /** The key in lower case. */
  readonly key: string;
  readonly value: string;
  readonly line: number;
  readonly span: Span;
}

interface OrgHeadline {
  readonly level: number;
  readonly title: string;
  readonly line: number;
  /** The headline's section, from its first star to the next headline of its level or above. */
  readonly span: Span;
}

/**
 * A fault in the structure that makes Emacs read the file differently than intended. `drawer` means a property drawer.
 */
export interface OrgFault {
  readonly kind: 'drawer' | 'structure';
  readonly line: number;
  readonly message: string;
}

/**
 * An org file, parsed as far as a node needs it. The text stays authoritative: every part has a position in it, and
 * edits replace only those positions, so unknown parts stay unchanged.
 */
export interface OrgDocument {
  readonly text: string;
  /** The property drawer of the file; null if there is none, or none that Emacs would read. */
  readonly drawer: { readonly properties: readonly OrgProperty[]; readonly span: Span } | null;
  /** Keywords before the first headline. */
  readonly keywords: readonly OrgKeyword[];
  /** The first paragraph before the first headline. */
  readonly summary: (Span & { readonly text: string }) | null;
  /** The text after the summary, or after the keywords if there is none. */
  readonly body: Span;
  readonly headlines: readonly OrgHeadline[];
  readonly links: readonly OrgLink[];
  readonly faults: readonly OrgFault[];
}

/** Returns only the structural faults of an org file. */
export function orgFaults(text: string): OrgFault[] {
  const lines = linesOf(text);
  const faults: OrgFault[] = [];
  const drawer = fileDrawer(lines, faults);
  structure(lines, drawer?.last ?? -1, faults);
  return faults;
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** The end of the text, before the line break. */
  readonly end: number;
  readonly next: number;
  /** The number of the line, from 1. */
  readonly number: number;
}

const HEADLINE = /^(\*+) +(.*?)\s*$/;
const DRAWER = /^\s*:([\w-]+):\s*$/;
const PROPERTY = /^(\s*:([^:\s]+?)\+?:)(?:[ \t]+(.*?))?\s*$/;
const KEYWORD = /^(\s*#\+([^\s:]+):)[ \t]*(.*?)\s*$/;
const BEGIN = /^\s*#\+begin(?:_(\S+)|:)/i;
const END = /^\s*#\+end(?:_(\S+)|:)/i;
const COMMENT = /^\s*#(?:\s|$)/;
/** Blocks whose content is not org. */
const LITERAL = new Set(['src', 'example', 'export', 'comment']);

/** Parses an org file. It never throws; `faults` lists syntax errors. */
export function parseOrg(text: string): OrgDocument {
  const lines = linesOf(text);
  const faults: OrgFault[] = [];
  const drawer = fileDrawer(lines, faults);
  const headlines = headlinesOf(lines, text.length);
  const isLiteral = structure(lines, drawer?.last ?? -1, faults);
  const firstHeadline = lines.findIndex((line) => HEADLINE.test(line.text));
  const top = lines.slice(0, firstHeadline === -1 ? lines.length : firstHeadline);
  const keywords = top.flatMap((line, at) => (isLiteral[at] ? [] : keywordOf(line)));
  const summary = summaryOf(top, (drawer?.last ?? -1) + 1, isLiteral);
  const bodyStart = summary?.bodyStart ?? headEnd(top, (drawer?.last ?? -1) + 1);
  return {
    text,
    drawer: drawer === null ? null : { properties: drawer.properties, span: drawer.span },
    keywords,
    summary: summary?.span ?? null,
    body: { start: bodyStart, end: text.length },
    headlines,
    links: lines.flatMap((line, at) => (isLiteral[at] ? [] : linksIn(line.text, line.start, line.number))),
    faults,
  };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const next = feed === -1 ? text.length : feed + 1;
    const end = feed === -1 ? text.length : text[feed - 1] === '\r' && feed > start ? feed - 1 : feed;
    lines.push({ text: text.slice(start, end), start, end, next, number: lines.length + 1 });
    start = next;
  }
  return lines;
}

interface FileDrawer {
  readonly properties: readonly OrgProperty[];
  readonly span: Span;
  /** The index of the drawer's last line. */
  readonly last: number;
}

/** Returns the drawer of a file. Emacs reads it only at the very top, after comments and empty lines. */
function fileDrawer(lines: readonly Line[], faults: OrgFault[]): FileDrawer | null {
  const first = lines.findIndex((line) => line.text.trim() !== '' && !COMMENT.test(line.text));
  const begin = lines[first];
  if (begin === undefined || !/^\s*:PROPERTIES:\s*$/i.test(begin.text)) return null;
  const properties: OrgProperty[] = [];
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if (/^\s*:END:\s*$/i.test(line.text)) {
      return { properties, span: { start: begin.start, end: line.next }, last: at };
    }
    const property = propertyOf(line);
    if (property === null) {
      faults.push({
        kind: 'drawer',
        line: line.number,
        message: `"${line.text.trim().slice(0, 60)}" is no :KEY: value`,
      });
      if (HEADLINE.test(line.text)) return null;
    } else properties.push(property);
  }
  faults.push({ kind: 'drawer', line: begin.number, message: 'the property drawer has no :END:' });
  return null;
}

function propertyOf(line: Line): OrgProperty | null {
  const match = PROPERTY.exec(line.text);
  if (match === null) return null;
  const [, head = '', key = '', value = ''] = match;
  const start = value === '' ? line.start + head.length : line.start + line.text.indexOf(value, head.length);
  return { key: key.toUpperCase(), value, line: line.number, span: { start, end: start + value.length } };
}

function keywordOf(line: Line): OrgKeyword[] {
  const match = KEYWORD.exec(line.text);
  if (match === null) return [];
  const [, head = '', key = '', value = ''] = match;
  const start = value === '' ? line.start + head.length : line.start + line.text.indexOf(value, head.length);
  return [{ key: key.toLowerCase(), value, line: line.number, span: { start, end: start + value.length } }];
}

function headlinesOf(lines: readonly Line[], length: number): OrgHeadline[] {
  const found = lines.flatMap((line) => {
    const match = HEADLINE.exec(line.text);
    return match === null ? [] : [{ level: (match[1] as string).length, title: titleOf(match[2] ?? ''), line }];
  });
  return found.map(({ level, title, line }, at) => {
    const next = found.slice(at + 1).find((other) => other.level <= level);
    return { level, title, line: line.number, span: { start: line.start, end: next?.line.start ?? length } };
  });
}

/** Returns a headline without its tags. */
function titleOf(headline: string): string {
  return headline.replace(/\s+:[\w@#%:]+:$/, '').trim();
}

/**
 * Walks through blocks and drawers. A headline ends all open blocks, as in Emacs, so a star at the beginning of a line
 * breaks a block.
 *
 * @returns for each line whether its text is not org.
 */
function structure(lines: readonly Line[], lastOfDrawer: number, faults: OrgFault[]): boolean[] {
  const literal = lines.map(() => false);
  let block: { readonly name: string; readonly line: Line } | null = null;
  let drawer: { readonly name: string; readonly line: Line } | null = null;
  const broken = (message: string, line: Line, isProperties = false): void => {
    faults.push({ kind: isProperties ? 'drawer' : 'structure', line: line.number, message });
  };
  const closeAll = (): void => {
    if (block !== null) broken(`the block ${block.name} is not closed`, block.line);
    if (drawer !== null) broken(`the drawer ${drawer.name} is not closed`, drawer.line, drawer.name === 'PROPERTIES');
    block = drawer = null;
  };
  for (let at = lastOfDrawer + 1; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    if (HEADLINE.test(line.text)) {
      closeAll();
      continue;
    }
    if (block !== null) {
      const open: { readonly name: string } = block;
      const end = END.exec(line.text);
      if (end !== null && (end[1] ?? '').toLowerCase() === open.name) block = null;
      else literal[at] = LITERAL.has(open.name);
      continue;
    }
    const begin = BEGIN.exec(line.text);
    if (begin !== null) {
      block = { name: (begin[1] ?? '').toLowerCase(), line };
      continue;
    }
    if (END.test(line.text)) {
      broken(`"${line.text.trim().slice(0, 40)}" closes nothing`, line);
      continue;
    }
    if (/^\s*#\s|^\s*#$|^\s*: /.test(line.text)) {
      literal[at] = true;
      continue;
    }
    const name = DRAWER.exec(line.text)?.[1]?.toUpperCase();
    if (drawer !== null) {
      const open: { readonly name: string } = drawer;
      if (name === 'END') drawer = null;
      else if (open.name === 'PROPERTIES' && propertyOf(line) === null) {
        broken(`"${line.text.trim().slice(0, 60)}" is no :KEY: value`, line, true);
      }
      continue;
    }
    if (name === 'END') broken('":END:" closes nothing', line);
    else if (name === 'PROPERTIES') {
      if (!followsHeadline(lines, at)) broken('Emacs does not read a property drawer at this place', line, true);
      drawer = { name, line };
    } else if (name !== undefined && closes(lines, at)) drawer = { name, line };
  }
  closeAll();
  return literal;
}

/** Whether a property drawer follows its headline directly, or follows the headline's planning line. */
function followsHeadline(lines: readonly Line[], at: number): boolean {
  const above = lines[at - 1]?.text ?? '';
  if (HEADLINE.test(above)) return true;
  return /^\s*(?:CLOSED|DEADLINE|SCHEDULED):/.test(above) && HEADLINE.test(lines[at - 2]?.text ?? '');
}

/** Whether `:NAME:` begins a drawer. A line with only that may also be a word between colons. */
function closes(lines: readonly Line[], at: number): boolean {
  for (let next = at + 1; next < lines.length; next += 1) {
    const text = lines[next]?.text ?? '';
    if (HEADLINE.test(text)) return false;
    if (/^\s*:END:\s*$/i.test(text)) return true;
  }
  return false;
}

function isHead(text: string): boolean {
  return text.trim() === '' || COMMENT.test(text) || (KEYWORD.test(text) && !BEGIN.test(text));
}

/** Returns where the keywords at the top of a file end, including empty lines after them. */
function headEnd(top: readonly Line[], from: number): number {
  let at = from;
  while (at < top.length && isHead((top[at] as Line).text)) at += 1;
  return top[at]?.start ?? top.at(-1)?.next ?? 0;
}

function summaryOf(
  top: readonly Line[],
  from: number,
  isLiteral: readonly boolean[],
): { readonly span: Span & { readonly text: string }; readonly bodyStart: number } | null {
  let at = from;
  while (at < top.length && isHead((top[at] as Line).text)) at += 1;
  const first = top[at];
  if (first === undefined || isLiteral[at] === true || !isProse(first.text)) return null;
  let last = at;
  while (last + 1 < top.length && isProse((top[last + 1] as Line).text) && isLiteral[last + 1] !== true) last += 1;
  const end = top[last] as Line;
  const words = top
    .slice(at, last + 1)
    .map((line) => line.text.trim())
    .join(' ');
  let bodyAt = last + 1;
  while (bodyAt < top.length && (top[bodyAt] as Line).text.trim() === '') bodyAt += 1;
  return {
    span: { start: first.start, end: end.end, text: words },
    bodyStart: top[bodyAt]?.start ?? top.at(-1)?.next ?? end.next,
  };
}

/** Whether a line belongs to a paragraph, not to a list, table, block, drawer or keyword. */
function isProse(text: string): boolean {
  return text.trim() !== '' && !/^\s*(?:[-+] |\d+[.)] |\||#\+|# |:[\w-]+:\s*$|\[fn:)/.test(text);
}
