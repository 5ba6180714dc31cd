/** A call as the model wrote it, before aish checks whether such a tool exists. */
export interface WrittenCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\n': '' };
const TOKEN = /\s*("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[\w.+-]+|[=:,()[\]{}])/y;
/** The maximum nesting depth. Deeper values cannot be arguments of a tool. */
const MAX_DEPTH = 16;

/**
 * Parses calls in Python syntax with named arguments: `name(key="value", n=5)`, one or a list. Pure.
 *
 * @returns null if any part is something else, because the meaning of half a list is uncertain.
 */
export function readPythonCalls(text: string): readonly WrittenCall[] | null {
  const tokens = tokensOf(text);
  if (tokens === null) return null;
  const reader = new Reader(tokens);
  try {
    return reader.calls();
  } catch (error) {
    if (error instanceof OtherText) return null;
    throw error;
  }
}

/** Thrown if the text is not a list of calls. */
class OtherText extends Error {}

function tokensOf(text: string): readonly string[] | null {
  const tokens: string[] = [];
  let end = 0;
  for (TOKEN.lastIndex = 0; ; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) break;
    tokens.push(token);
  }
  return text.slice(end).trim() === '' ? tokens : null;
}

class Reader {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  calls(): readonly WrittenCall[] {
    const calls: WrittenCall[] = [];
    if (this.takes('[')) {
      do calls.push(this.call());
      while (this.takes(','));
      this.expect(']');
    } else calls.push(this.call());
    if (this.at < this.tokens.length) throw new OtherText();
    return calls;
  }

  private call(): WrittenCall {
    const name = this.word(/^[A-Za-z_][\w.-]{0,79}$/);
    this.expect('(');
    const args: Record<string, unknown> = {};
    while (!this.takes(')')) {
      const key = this.word(/^[A-Za-z_]\w{0,63}$/);
      this.expect('=');
      args[key] = this.value(0);
      if (this.takes(')')) break;
      this.expect(',');
    }
    return { name, args };
  }

  private value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new OtherText();
    if (this.takes('[')) return this.list(depth);
    if (this.takes('{')) return this.object(depth);
    const token = this.next();
    if (/^["']/.test(token)) return unquoted(token);
    if (Object.hasOwn(WORDS, token)) return WORDS[token];
    if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(token)) return Number(token);
    throw new OtherText();
  }

  private list(depth: number): readonly unknown[] {
    const values: unknown[] = [];
    while (!this.takes(']')) {
      values.push(this.value(depth + 1));
      if (this.takes(']')) break;
      this.expect(',');
    }
    return values;
  }

  private object(depth: number): Readonly<Record<string, unknown>> {
    const entries: [string, unknown][] = [];
    while (!this.takes('}')) {
      const key = unquoted(this.word(/^["']/));
      this.expect(':');
      entries.push([key, this.value(depth + 1)]);
      if (this.takes('}')) break;
      this.expect(',');
    }
    return Object.fromEntries(entries);
  }

  private takes(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  private expect(token: string): void {
    if (!this.takes(token)) throw new OtherText();
  }

  private word(pattern: RegExp): string {
    const token = this.next();
    if (!pattern.test(token)) throw new OtherText();
    return token;
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw new OtherText();
    this.at += 1;
    return token;
  }
}

/** Unescapes a quoted text. Python keeps the backslash of an unknown escape. */
function unquoted(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\([\s\S])/g, (whole, char: string) => {
    if (char === '\\' || char === '"' || char === "'") return char;
    return ESCAPES[char] ?? whole;
  });
}
