import type { Language, Snippet, Word } from './command.js';
import { Budget, QUOTING, mayBegin, quotedAt } from './quoting.js';

const HASH_COMMENTS: ReadonlySet<Language> = new Set([
  'python',
  'ruby',
  'perl',
  'r',
  'awk',
  'powershell',
  'php',
  'sed',
  'other',
]);
const SLASH_COMMENTS: ReadonlySet<Language> = new Set(['javascript', 'php', 'mongo']);
const DASH_COMMENTS: ReadonlySet<Language> = new Set(['sql', 'lua', 'applescript']);
const MAX_STRINGS = 500;

/** How strictly the reader follows the grammar of a language when a quote or a slash is ambiguous. */
interface Way {
  /**
   * Whether the reader recognizes patterns, quoting operators and long texts, and reads code in strings. `x["name"]()`
   * is then `x.name()`.
   */
  readonly grammar: boolean;
  /**
   * Whether `#` begins a comment in every position. For SQL, it selects the dialect of MySQL: `--` begins a comment
   * only before a space, and `\\'` and `"` work as in other languages.
   */
  readonly dialect: boolean;
}

const PLAIN: Way = { grammar: false, dialect: false };
const DIALECTS: ReadonlySet<Language> = new Set(['python', 'awk', 'ruby', 'perl', 'r', 'php', 'sql', 'powershell']);
/**
 * Returns code without comments, in which every string is replaced by `"n"` (or `` `n` ``), where `n` is its index in
 * `strings`. The content of a string is data, unless a rule asks for it.
 */
export const snippet = (language: Language, text: string, word: Word): Snippet => read(language, text, word, PLAIN);

/**
 * Returns the snippets for every meaning of an ambiguous quote, slash or `#`: `/"/ { system("rm f") } /"/` contains two
 * patterns, or one long string. If one of the snippets destroys something, so does the text.
 */
export function snippetsIn(language: Language, text: string, word: Word): readonly Snippet[] {
  const found = [snippet(language, text, word)];
  const ways = [
    { grammar: true, dialect: false },
    { grammar: false, dialect: true },
    { grammar: true, dialect: true },
  ];
  for (const way of ways) {
    if ((way.grammar && !QUOTING.has(language)) || (way.dialect && !DIALECTS.has(language))) continue;
    const other = read(language, text, word, way);
    if (
      found.every(
        ({ skeleton, strings }) => skeleton !== other.skeleton || strings.join('\0') !== other.strings.join('\0'),
      )
    )
      found.push(other);
  }
  return found;
}

function read(language: Language, whole: string, word: Word, way: Way): Snippet {
  // In awk, a backslash before a line break continues the line in any place.
  let text = language === 'awk' ? whole.replaceAll('\\\n', ' ') : whole;
  const budget = new Budget();
  const strings: string[] = [];
  let skeleton = '';
  let at = 0;
  while (at < text.length) {
    const quoted = way.grammar && mayBegin(language, text, at) ? quotedAt(language, text, at, skeleton, budget) : null;
    if (quoted !== null) {
      if (quoted.inner.length > 0)
        text = `${text.slice(0, at)} (${quoted.inner.join(' ; ')}) ${text.slice(quoted.end)}`;
      else {
        skeleton += quoted.code;
        at = quoted.end;
      }
      continue;
    }
    const gap = commentEnd(language, text, at, way);
    if (gap !== null) {
      at = gap;
      skeleton += text.charAt(at - 1) === '/' ? ' ' : '';
      continue;
    }
    // MySQL runs the code in /*! … */.
    if (text.startsWith('/*!', at) && language === 'sql') {
      at += 3;
      continue;
    }
    const string = strings.length < MAX_STRINGS ? stringAt(language, text, at, way) : null;
    if (string === null) {
      skeleton += text.charAt(at);
      at += 1;
      continue;
    }
    skeleton += `${string.mark}${strings.length}${string.mark}`;
    strings.push(string.value);
    at = string.end;
  }
  const found = merged(skeleton, strings);
  return { language, text: whole, word, strings, skeleton: way.grammar ? withMembers(found, strings) : found };
}

/** Rewrites `fs["rmSync"](f)` as `fs.rmSync(f)`. */
const withMembers = (skeleton: string, strings: readonly string[]): string =>
  skeleton.replace(/\[\s*"(\d+)"\s*\](?=\s*\()/g, (all, index: string) => {
    const name = strings[Number(index)] ?? '';
    return /^\w+$/.test(name) ? `.${name}` : all;
  });

/** Returns the end of a comment that begins at `at`, or null if none begins there. */
function commentEnd(language: Language, text: string, at: number, { dialect }: Way): number | null {
  const pair = text.slice(at, at + 2);
  const before = text.charAt(at - 1);
  const hash =
    text.charAt(at) === '#' &&
    (HASH_COMMENTS.has(language) || (dialect && language === 'sql')) &&
    (at === 0 || /[\s;]/.test(before) || (dialect && !(language === 'perl' && before === '$')));
  const dashes = pair === '--' && DASH_COMMENTS.has(language) && (!dialect || /^\s?$/.test(text.charAt(at + 2)));
  if (hash || dashes || (pair === '//' && SLASH_COMMENTS.has(language))) {
    const end = text.indexOf('\n', at);
    return end === -1 ? text.length : end;
  }
  if (pair !== '/*' || !(SLASH_COMMENTS.has(language) || language === 'sql')) return null;
  if (text.charAt(at + 2) === '!' && language === 'sql') return null;
  const end = text.indexOf('*/', at + 2);
  return end === -1 ? text.length : end + 2;
}

/** Returns the string that begins at `at`, and its end, or null if none begins there. */
function stringAt(
  language: Language,
  text: string,
  at: number,
  { dialect }: Way,
): { readonly value: string; readonly mark: string; readonly end: number } | null {
  const char = text.charAt(at);
  const isPlainSql = language === 'sql' && !dialect;
  const opens =
    (char === "'" && language !== 'awk') ||
    (char === '"' && !isPlainSql) ||
    (char === '`' && language !== 'sql' && language !== 'python');
  if (!opens) return null;
  const triple = text.slice(at, at + 3);
  const quote = language === 'python' && (triple === '"""' || triple === "'''") ? triple : char;
  let value = '';
  let end = at + quote.length;
  while (end < text.length && !text.startsWith(quote, end)) {
    const inner = text.charAt(end);
    const escapes = inner === '\\' && !isPlainSql;
    value += escapes ? unescaped(text.charAt(end + 1)) : inner;
    end += escapes ? 2 : 1;
  }
  return { value, mark: char === '`' ? '`' : '"', end: end + quote.length };
}

/** Merges `'r' + 'm'` into one string. */
function merged(skeleton: string, strings: string[]): string {
  let before = '';
  let now = skeleton;
  for (let round = 0; round < 40 && before !== now; round += 1) {
    before = now;
    now = now.replace(/"(\d+)"\s*(?:\+|\.\.?)?\s*"(\d+)"/g, (_, a: string, b: string) => {
      strings.push((strings[Number(a)] ?? '') + (strings[Number(b)] ?? ''));
      return `"${strings.length - 1}"`;
    });
  }
  return now;
}

const unescaped = (char: string): string => (char === 'n' ? '\n' : char === 't' ? '\t' : char);
