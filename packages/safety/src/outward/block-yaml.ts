import { readLiterals, unescapeText, type Value } from './literals.js';

const DEPTH_MAX = 40;
const KEY = /^(?<key>[\w.@-]+|'[\w .@-]+'|"[\w .@-]+"):(?: +(?<rest>.*))?$/;
/** Matches text that is not plain YAML: a comment, another key, or a character that means something else. */
const NOT_PLAIN = /^[[\]{}&*!|>%@`"'#,?]|^[-?:]( |$)|\s#|:( |$)/;

/**
 * Reads YAML as programs print it: lists and maps in blocks. Programs quote a text that looks like anything else, so
 * the author of a text cannot add a field. A general reader is not used: some texts make it end the process.
 *
 * @returns null for any other text. Pure.
 */
export function readBlockYaml(text: string): Value | null {
  const lines = text.trimEnd().split(/\r?\n/);
  if (lines[0] === '---') lines.shift();
  const reader = new Reader(lines);
  const value = reader.block(0, 0);
  return reader.isAtEnd() ? value : null;
}

class Reader {
  private at = 0;

  /** @param lines the lines that are left; a line changes when its beginning has been read */
  constructor(private readonly lines: string[]) {}

  isAtEnd(): boolean {
    return this.at === this.lines.length;
  }

  block(indent: number, depth: number): Value | null {
    if (depth > DEPTH_MAX) return null;
    return this.isEntryAt(indent) ? this.list(indent, depth) : this.map(indent, depth);
  }

  private list(indent: number, depth: number): Value | null {
    const entries: Value[] = [];
    while (this.isEntryAt(indent)) {
      const rest = (this.lines[this.at] ?? '').slice(indent + 1).trimStart();
      const inner = (this.lines[this.at] ?? '').length - rest.length;
      this.lines[this.at] = ' '.repeat(inner) + rest;
      const isBlock = this.isEntryAt(inner) || KEY.test(rest);
      const entry = isBlock ? this.block(inner, depth + 1) : this.scalar(rest, indent);
      if (entry === null) return null;
      entries.push(entry);
    }
    return entries;
  }

  private map(indent: number, depth: number): Value | null {
    const fields = new Map<string, Value>();
    while (this.indentOf(this.at) === indent) {
      const { key, rest = '' } = KEY.exec((this.lines[this.at] ?? '').slice(indent))?.groups ?? {};
      if (key === undefined) return null;
      const value = rest === '' ? this.below(indent, depth) : this.scalar(rest, indent);
      if (value === null) return null;
      fields.set(key.replaceAll(/["']/g, ''), value);
    }
    return fields.size === 0 ? null : fields;
  }

  /** Reads the value on the lines below a key. A list may begin in the same column as the key. */
  private below(indent: number, depth: number): Value | null {
    this.at += 1;
    const inner = this.indentOf(this.at);
    if (inner > indent || this.isEntryAt(indent)) return this.block(inner, depth + 1);
    return '';
  }

  private scalar(rest: string, indent: number): Value | null {
    const [first = ''] = rest;
    if (first === '"' || first === "'") return this.quoted(rest, first, indent);
    this.at += 1;
    if (/^[|>][+-]?\d?$/.test(rest)) return this.inner(indent).join('\n');
    if (first === '[' || first === '{') return readLiterals(rest)?.[0] ?? null;
    const parts = [rest, ...this.inner(indent)].map((line) => line.trim());
    return parts.some((part) => NOT_PLAIN.test(part)) ? null : parts.join(' ').trim();
  }

  private quoted(rest: string, quote: string, indent: number): string | null {
    const closed = quote === '"' ? /^(?:[^"\\]|\\.)*(")\s*$/ : /^(?:[^']|'')*(')\s*$/;
    const open = quote === '"' ? /^(?:[^"\\]|\\.)*\\?$/ : /^(?:[^']|'')*$/;
    const parts: string[] = [];
    for (let line = rest.slice(1); ; line = (this.lines[this.at] ?? '').trim()) {
      this.at += 1;
      const isLast = closed.test(line);
      parts.push(isLast ? line.trimEnd().slice(0, -1) : line);
      if (isLast) break;
      if (!open.test(line) || this.isAtEnd() || !this.isInner(indent)) return null;
    }
    const text = parts.join(' ');
    return quote === '"' ? unescapeText(text) : text.replaceAll("''", "'");
  }

  /** Takes the following lines that are further to the right, or empty. */
  private inner(indent: number): readonly string[] {
    const from = this.at;
    while (!this.isAtEnd() && this.isInner(indent)) this.at += 1;
    return this.lines.slice(from, this.at);
  }

  private isInner(indent: number): boolean {
    return this.lines[this.at]?.trim() === '' || this.indentOf(this.at) > indent;
  }

  private isEntryAt(indent: number): boolean {
    return this.indentOf(this.at) === indent && /^-( |$)/.test((this.lines[this.at] ?? '').slice(indent));
  }

  private indentOf(at: number): number {
    return this.lines[at]?.search(/\S/) ?? -1;
  }
}
