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

/** How much of a language's own grammar is minded where a quote or a slash may be two things. */
interface Way {
  /** Patterns, quoting operators and long texts are told apart, and code in strings is code; `x["name"]()` is `x.name()`. */
  readonly grammar: boolean;
  /** `#` begins a comment wherever it stands; in SQL, as MySQL has it, `--` only before a blank, and `\\'` and `"` are as elsewhere. */
  readonly dialect: boolean;
}

const PLAIN: Way = { grammar: false, dialect: false };
const DIALECTS: ReadonlySet<Language> = new Set(['python', 'awk', 'ruby', 'perl', 'r', 'php', 'sql', 'powershell']);
/**
 * Code without comments, in which every string is replaced by `"n"` (or `` `n` ``). `n` is its index in `strings`. The
 * content of a string is data, unless a rule asks for it.
 */
export const snippet = (language: Language, text: string, word: Word): Snippet => read(language, text, word, PLAIN);

/**
 * The same in every way in which a quote, a slash or a `#` could be meant: `/"/ { system("rm f") } /"/` holds two patterns, or one
 * long string. What destroys in one of them destroys.
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
  // In awk a line goes on behind a backslash, wherever it breaks.
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

/** `fs["rmSync"](f)` is `fs.rmSync(f)`. */
const withMembers = (skeleton: string, strings: readonly string[]): string =>
  skeleton.replace(/\[\s*"(\d+)"\s*\](?=\s*\()/g, (all, index: string) => {
    const name = strings[Number(index)] ?? '';
    return /^\w+$/.test(name) ? `.${name}` : all;
  });

/** Where a comment that begins at `at` ends; null where none does. */
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

/** The string that begins at `at`, and where it ends; null where none does. */
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

/** `'r' + 'm'` is one string. */
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
