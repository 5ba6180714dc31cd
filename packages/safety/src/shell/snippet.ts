import type { Language, Snippet, Word } from './command.js';

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

/**
 * Code with its comments left out and every string replaced by `"n"` (or `` `n` ``), n being its place in `strings`:
 * what stands in a string is data, unless a rule asks for it.
 */
export function snippet(language: Language, text: string, word: Word): Snippet {
  const strings: string[] = [];
  let skeleton = '';
  let at = 0;
  const until = (end: string, from: number): number => {
    const found = text.indexOf(end, from);
    return found === -1 ? text.length : found + end.length;
  };
  while (at < text.length) {
    const char = text.charAt(at);
    const pair = text.slice(at, at + 2);
    if (
      (char === '#' && HASH_COMMENTS.has(language) && (at === 0 || /[\s;]/.test(text.charAt(at - 1)))) ||
      (pair === '//' && SLASH_COMMENTS.has(language)) ||
      (pair === '--' && DASH_COMMENTS.has(language))
    ) {
      at = until('\n', at) - (text.includes('\n', at) ? 1 : 0);
      continue;
    }
    if (pair === '/*' && (SLASH_COMMENTS.has(language) || language === 'sql')) {
      // MySQL runs what stands in /*! … */.
      if (text.charAt(at + 2) === '!') {
        at += 3;
        continue;
      }
      at = until('*/', at + 2);
      skeleton += ' ';
      continue;
    }
    const opens = char === "'" || char === '"' || (char === '`' && language !== 'sql' && language !== 'python');
    if (!opens || (char === '"' && language === 'sql') || strings.length >= MAX_STRINGS) {
      skeleton += char;
      at += 1;
      continue;
    }
    const triple = text.slice(at, at + 3);
    const quote = language === 'python' && (triple === '"""' || triple === "'''") ? triple : char;
    let value = '';
    at += quote.length;
    while (at < text.length && !text.startsWith(quote, at)) {
      const inner = text.charAt(at);
      if (inner === '\\' && language !== 'sql') {
        value += unescaped(text.charAt(at + 1));
        at += 2;
      } else {
        value += inner;
        at += 1;
      }
    }
    at += quote.length;
    const mark = char === '`' ? '`' : '"';
    skeleton += `${mark}${strings.length}${mark}`;
    strings.push(value);
  }
  return { language, text, word, strings, skeleton: merged(skeleton, strings) };
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
