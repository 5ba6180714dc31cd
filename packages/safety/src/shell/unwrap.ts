import type { Wrapper } from './wrappers.js';

/** Matches assignments, including the names under which functions are exported: `BASH_FUNC_ls%%=() { … }`. */
const ASSIGNMENT = /^\w+(%%)?=/;

interface Text {
  readonly text: string;
}

export interface Unwrapped<W extends Text> {
  /** The words that the wrapper runs. If a shell reads them, they are joined. */
  readonly words: readonly W[];
  readonly joins: boolean;
  readonly adds: boolean;
  /** Words that contain separate shell text. */
  readonly code: readonly W[];
  readonly assignments: readonly W[];
}

/** Removes the wrapper's own words. `words[0]` is its name (or the last part of its subcommand). */
export function unwrap<W extends Text>(words: readonly W[], wrapper: Wrapper): Unwrapped<W> {
  const values = new Set((wrapper.values ?? '').split(' '));
  const pairs = new Set((wrapper.pairs ?? '').split(' '));
  const codes = new Set((wrapper.code ?? '').split(' '));
  const looks = new Set((wrapper.looks ?? '').split(' '));
  const assignments: W[] = [];
  const code: W[] = [];
  let skip = wrapper.skip ?? 0;
  let skipped = false;
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    const text = word?.text ?? '';
    if (word === undefined || text === '--') {
      if (skip > 0 && text === '--') continue;
      at += 1;
      break;
    }
    if (wrapper.strict === true && skipped && skip === 0) break;
    if (looks.has(text)) return { words: [], joins: false, adds: false, code, assignments };
    if (text.startsWith('-') && text !== '-') {
      const taken = takes(text, values, codes);
      if (taken === 'code') {
        const next = words[at + 1];
        const attached = attachedCode(text, codes);
        if (attached !== null) code.push({ ...word, text: attached });
        else if (next !== undefined) code.push(next);
        if (attached === null) at += 1;
      } else if (taken === 'value') at += 1;
      else if (pairs.has(text)) at += 2;
    } else if (text === '-' && (wrapper.codeOnly === true || wrapper.dash === true)) continue;
    else if (wrapper.assignments === true && ASSIGNMENT.test(text)) assignments.push(word);
    else if (skip > 0) {
      skip -= 1;
      skipped = true;
    } else if (wrapper.codeOnly !== true) break;
  }
  for (
    let word = words[at];
    wrapper.assignments === true && word !== undefined && ASSIGNMENT.test(word.text);
    word = words[at]
  ) {
    assignments.push(word);
    at += 1;
  }
  const rest = wrapper.codeOnly === true ? [] : words.slice(at);
  return { words: rest, joins: wrapper.joins === true, adds: wrapper.adds === true, code, assignments };
}

/** Returns shell text inside the option itself: `-S'ls -l'`, `--command=ls`. Null if it is the next word. */
function attachedCode(option: string, codes: ReadonlySet<string>): string | null {
  if (option.startsWith('--')) return option.includes('=') ? option.slice(option.indexOf('=') + 1) : null;
  const at = option.split('').findIndex((letter, index) => index > 0 && codes.has(`-${letter}`));
  return at === -1 || at === option.length - 1 ? null : option.slice(at + 1);
}

/** Says whether an option takes the next word, and whether that word is a value or code. */
function takes(option: string, values: ReadonlySet<string>, codes: ReadonlySet<string>): 'value' | 'code' | null {
  if (option.startsWith('--')) {
    const name = option.split('=', 1)[0] ?? option;
    if (codes.has(name) || (name.length > 4 && [...codes].some((code) => code.startsWith(name)))) return 'code';
    return values.has(option) ? 'value' : null;
  }
  if (codes.has(option)) return 'code';
  for (let at = 1; at < option.length; at += 1) {
    const letter = `-${option.charAt(at)}`;
    if (codes.has(letter)) return 'code';
    if (values.has(letter)) return at === option.length - 1 ? 'value' : null;
  }
  return null;
}
