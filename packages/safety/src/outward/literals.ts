/** A value as a service prints it. Numbers and names stay texts. */
export type Value = string | readonly Value[] | ReadonlyMap<string, Value>;

const OPENS = /\s*(?:[\w.]+(?=\()|(?=[[{]))/y;
const WORD = /[^\s,:=[\](){}'"]+/y;
const BLANK = /\s*/y;
const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([\s\S]))/gi;
const CONTROL: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '\n': '',
  N: '\n',
  L: '\n',
  P: '\n',
  _: ' ',
};
const DEPTH_MAX = 40;

/**
 * Reads JSON, and the values that Python prints: `{'a': [1, None]}`, `Item(name='x')`. There may be several values in
 * a row.
 *
 * @returns null if the text contains anything else, because only the whole text shows what is inside a quotation. Pure.
 */
export function readLiterals(text: string): readonly Value[] | null {
  const reader = new Reader(text);
  const found: Value[] = [];
  while (!reader.isAtEnd()) {
    const value = reader.opens() ? reader.value() : null;
    if (value === null) return null;
    found.push(value);
  }
  return found.length === 0 ? null : found;
}

/** Replaces the escapes that JSON, Python and YAML have in common. Pure. */
export function unescapeText(text: string): string {
  return text.replace(ESCAPE, (_, x?: string, u?: string, long?: string, other = '') => {
    const code = x ?? u ?? long;
    return code === undefined ? (CONTROL[other] ?? other) : characterOf(parseInt(code, 16));
  });
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    this.take(BLANK);
    return this.at === this.text.length;
  }

  opens(): boolean {
    OPENS.lastIndex = this.at;
    return OPENS.test(this.text);
  }

  value(): Value | null {
    this.take(BLANK);
    const next = this.text[this.at];
    if (next === '"' || next === "'") return this.quoted(next);
    const name = this.take(WORD);
    return this.isOpen() ? this.entries() : name === '' ? null : name;
  }

  private isOpen(): boolean {
    return /[[{(]/.test(this.text[this.at] ?? '');
  }

  private entries(): Value | null {
    const close = { '[': ']', '{': '}', '(': ')' }[this.text[this.at] ?? ''];
    this.at += 1;
    this.depth += 1;
    const entries: Value[] = [];
    const fields = new Map<string, Value>();
    while (!this.isAtEnd() && this.depth < DEPTH_MAX) {
      if (this.text[this.at] === close) {
        this.at += 1;
        this.depth -= 1;
        return fields.size === 0 ? entries : new Map([...fields, ...entries.map((each, n) => [`${n}`, each] as const)]);
      }
      const value = this.value();
      if (value === null) return null;
      this.take(BLANK);
      if (/[:=]/.test(this.text[this.at] ?? '')) {
        this.at += 1;
        const field = this.value();
        if (field === null || typeof value !== 'string') return null;
        fields.set(value, field);
      } else entries.push(value);
      this.take(BLANK);
      if (this.text[this.at] === ',') this.at += 1;
      else if (this.text[this.at] !== close) return null;
    }
    return null;
  }

  private quoted(quote: string): string | null {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== quote) end += this.text[end] === '\\' ? 2 : 1;
    if (end >= this.text.length) return null;
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return unescapeText(inner);
  }

  private take(what: RegExp): string {
    what.lastIndex = this.at;
    const [found = ''] = what.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }
}

const characterOf = (code: number): string => (code > 0x10ffff ? '' : String.fromCodePoint(code));
