import type { Language } from './command.js';

/** A part of code that only the grammar of its language can recognize: a pattern, a quoting operator, a long string. */
export interface Quoted {
  /** The replacement in the skeleton: the text of the part, without anything that opens a string. */
  readonly code: string;
  /** The code inside the part, to be read as code. Empty if the part contains only text. */
  readonly inner: readonly string[];
  readonly end: number;
}

/** Languages that have parts of this kind. */
export const QUOTING: ReadonlySet<Language> = new Set([
  'javascript', 'mongo', 'awk', 'perl', 'ruby', 'sql', 'python', 'lua', 'php', 'powershell',
]); // prettier-ignore

/** Matches a pattern between slashes. */
const PATTERN = /^\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\]|\[)+\//;
/** After a value, a slash is a division. */
const AFTER_VALUE = /(?:[\w$)\]}]|"\d+"|`\d+`)\s*$/;
/** Words after which a value must follow. */
const AWAITS =
  /(?:^|[^\w$@%.])(?:return|typeof|case|in|of|and|or|not|if|unless|while|until|when|split|grep|map|first|any|print|puts|x|do|else|void|delete|throw|yield|await|then|elsif)\s*$/;
/** Matches `<<E`, with everything up to the line that ends it. */
const HEREDOC = /^<<<?[~-]?\s?(["']?)([A-Za-z_]\w*)\1[^\n]*\n(?:[\s\S]*?\n)?[ \t]*\2\b/;
/** Texts with a special beginning and end, by language. */
const TEXTS: Partial<Record<Language, readonly RegExp[]>> = {
  sql: [/^\$(\w*)\$[\s\S]*?\$\1\$/, /^\[[^\]\n]*\]/, /^`[^`]*`/],
  lua: [/^(?:--)?\[(=*)\[[\s\S]*?\]\1\]/],
  php: [HEREDOC],
  ruby: [HEREDOC, /^\?["'`]/, /^%[qQwWiIrsx]?\{[^}]*\}/, /^%[qQwWiIrsx]?\([^)]*\)/, /^%[qQwWiIrsx]?\[[^\]]*\]/, /^%[qQwWiIrsx]([^\w\s({[])[\s\S]*?\1/],
  perl: [HEREDOC, /^=(?:pod|head\d|begin|for|over|item|encoding)\b[\s\S]*?\n=cut\b[^\n]*/],
}; // prettier-ignore
/** Strings that contain code, by language. */
const WITH_CODE: Partial<Record<Language, readonly RegExp[]>> = {
  ruby: [/^"(?:[^"\\#]|\\[\s\S]|#\{[^}]*\}|#)*#\{(?:[^"\\]|\\[\s\S]|"[^"]*")*?\}(?:[^"\\]|\\[\s\S])*"/],
  python: [/^[fF][rR]?"(?:[^"\\\n{]|\\.|\{[^}\n]*\})*"/, /^[fF][rR]?'(?:[^'\\\n{]|\\.|\{[^}\n]*\})*'/, /^[fF][rR]?"""[\s\S]*?"""/],
  perl: [/^"(?:[^"\\]|\\[\s\S])*?[@$]\{(?:[^"\\]|\\[\s\S])*"/],
  php: [/^"(?:[^"\\]|\\[\s\S])*?\{\$(?:[^"\\]|\\[\s\S])*"/],
  powershell: [/^"(?:[^"`]|`[\s\S])*?\$\((?:[^"`]|`[\s\S])*"/],
}; // prettier-ignore
/** Matches the code inside a string. */
const INSERTED: Partial<Record<Language, RegExp>> = {
  javascript: /\$\{((?:[^{}]|\{[^{}]*\})*)\}/g,
  mongo: /\$\{((?:[^{}]|\{[^{}]*\})*)\}/g,
  ruby: /#\{((?:[^{}]|\{[^{}]*\})*)\}/g,
  python: /\{([^{}]*)\}/g,
  perl: /[@$]\{((?:[^{}]|\{[^{}]*\})*)\}/g,
  php: /\{(\$[^{}]*)\}/g,
  powershell: /\$\(((?:[^()]|\([^()]*\))*)\)/g,
};
const OPERATOR = /^(?:q[qwrx]?|m|s|tr|y)\s*(?=[^\w\s,;=)])/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' };

/** Maximum length of a part that is searched for, in UTF-16 code units. */
const PART_MAX = 4_000;

/** Limits the search for quoted parts in one piece of code, so that a hostile text cannot make it slow. */
export class Budget {
  private left = 2_000_000;

  /** @throws RangeError if the budget is spent. */
  spend(rest: string): void {
    this.left -= rest.length;
    if (this.left < 0) throw new RangeError('too much in quotes');
  }
}

/** Whether a part may begin at `at`. This is a quick check for the many positions where none begins. */
export function mayBegin(language: Language, text: string, at: number): boolean {
  return FIRST.test(text.charAt(at)) && BEGINS[language]?.test(text.slice(at, at + 16)) === true;
}
const FIRST = /[-/"`<=$[?%qmstyrfF]/;

/**
 * Returns the part that begins at `at`, after the skeleton `before`, or null if none begins there.
 *
 * @throws RangeError if the budget is spent before this is known
 */
export function quotedAt(language: Language, text: string, at: number, before: string, budget: Budget): Quoted | null {
  const rest = text.slice(at, at + PART_MAX);
  const end = endOf(language, rest, before.slice(-40), text.charAt(at - 1), budget);
  if (end === 0) return null;
  // If a part has no end within the limit, it either ends later or never ends.
  if (end === Infinity) {
    if (rest.length === PART_MAX) throw new RangeError('a part in quotes is too long');
    return null;
  }
  const inserted = INSERTED[language];
  const isString = /^(`|[fF]?[rR]?["'])/.test(rest);
  const inner =
    isString && inserted !== undefined ? [...rest.slice(0, end).matchAll(inserted)].map(([, code = '']) => code) : [];
  return { inner, code: rest.slice(0, end).replaceAll(/["'`]|^--|\/\*|\*\//g, ' '), end: at + end };
}

/** How a quoted part begins, by language. */
const BEGINS: Partial<Record<Language, RegExp>> = {
  sql: /^(?:\/\*|[$[`])/,
  lua: /^(?:--)?\[/,
  php: /^(?:<<<|")/,
  ruby: /^(?:<<|[/?%"])/,
  perl: /^(?:<<|=[a-z]|[/"]|(?:q[qwrx]?|m|s|tr|y)\s*[^\w\s,;=)])/,
  python: /^[fF][rR]?["']/,
  powershell: /^"/,
  awk: /^\//,
  javascript: /^[/`]/,
  mongo: /^[/`]/,
};

/** Returns where the part ends: 0 if no part begins, Infinity if the part has no end. */
function endOf(language: Language, rest: string, near: string, previous: string, budget: Budget): number {
  budget.spend(rest);
  if (rest.startsWith('/*') && language === 'sql') return nestedComment(rest);
  if (rest.startsWith('/')) return awaitsValue(near) ? (PATTERN.exec(rest)?.[0].length ?? 0) : 0;
  if (/^(javascript|mongo)$/.test(language)) return template(rest);
  if (/\w/.test(previous) && /^\w/.test(rest)) return 0;
  const all = [...(TEXTS[language] ?? []), ...(WITH_CODE[language] ?? [])];
  const found = all.map((each) => each.exec(rest)?.[0].length ?? 0).find((length) => length > 0);
  if (found !== undefined) return found;
  if (/^(?:<<<?[~-]?["']?\w|\$\w*\$|(?:--)?\[=*\[)/.test(rest) && language !== 'ruby') return Infinity;
  return language === 'perl' && !/[$@%&>{]/.test(previous) ? operator(rest) : 0;
}

const awaitsValue = (near: string): boolean => !AFTER_VALUE.test(near) || AWAITS.test(near);

/** Returns the end of a comment. PostgreSQL allows comments inside comments. */
function nestedComment(rest: string): number {
  let depth = 0;
  for (const { 0: mark, index } of rest.matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return rest.startsWith('/*!') ? 0 : index + 2;
  }
  return Infinity;
}

/** Returns the end of a template. A `${ }` in it contains code. */
function template(rest: string): number {
  let depth = 0;
  let hasCode = false;
  for (let at = 1; at < rest.length; at += 1) {
    const char = rest.charAt(at);
    if (char === '\\') at += 1;
    else if (rest.startsWith('${', at)) {
      depth += 1;
      hasCode = true;
    } else if (char === '}' && depth > 0) depth -= 1;
    else if (char === '`' && depth === 0) return hasCode ? at + 1 : 0;
  }
  return hasCode ? Infinity : 0;
}

/** Returns the end of a quoting operator: `q(…)`, `m{…}`, `s/…/…/`, `tr…`. */
function operator(rest: string): number {
  const [head = ''] = OPERATOR.exec(rest) ?? [];
  if (head === '') return 0;
  const opens = rest.charAt(head.length);
  const first = closed(rest, head.length);
  if (first === Infinity || !/^(s|tr|y)\s*$/.test(head)) return first;
  if (CLOSING[opens] === undefined) return closed(rest, first - 1);
  const second = first + (/^\s*/.exec(rest.slice(first))?.[0].length ?? 0);
  return closed(rest, second);
}

/** Returns the position after the end of the part that opens at `at`; Infinity if it has no end. */
function closed(rest: string, at: number): number {
  const opens = rest.charAt(at);
  const closes = CLOSING[opens] ?? opens;
  let depth = 0;
  for (let place = at + 1; place < rest.length; place += 1) {
    const char = rest.charAt(place);
    if (char === '\\') place += 1;
    else if (char === closes && depth === 0) return place + 1;
    else if (char === closes) depth -= 1;
    else if (char === opens) depth += 1;
  }
  return Infinity;
}
