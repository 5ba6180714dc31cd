import type { Source } from './source.js';

/** A placeholder in a text for a part that is known only when the command runs. */
export const HOLE = '\uE000';
/**
 * A placeholder in a path for the random part of a name from `mktemp` or the clock. No file with that name exists yet.
 */
export const NEW = '\uE001';

/** One word after quoting, expansion and splitting, as the program would receive it. */
export interface Word {
  readonly text: string;
  readonly source: Source;
  readonly pos: number;
  readonly end: number;
  /** Whether the word has an unquoted wildcard. */
  readonly glob: boolean;
  /** The text inside `<( )` or `>( )`. */
  readonly process?: ProcessText;
}

export interface ProcessText {
  readonly operator: '<' | '>';
  readonly input: Input;
}

export interface Redirection {
  readonly operator: string;
  readonly descriptor: number | null;
  readonly target: Word;
}

/** The standard input of a command, as far as the text shows it. */
export type Input =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly word: Word }
  | { readonly kind: 'fetched' }
  | { readonly kind: 'file' }
  | { readonly kind: 'endless' }
  | { readonly kind: 'opaque' };

export type Language =
  | 'python' | 'javascript' | 'perl' | 'ruby' | 'php' | 'lua' | 'awk' | 'sed' | 'sql' | 'redis' | 'mongo' | 'r'
  | 'powershell' | 'applescript' | 'vim' | 'ed' | 'gdb' | 'other'; // prettier-ignore

/** Code in a language other than the shell's, found in a command. */
export interface Snippet {
  readonly language: Language;
  readonly text: string;
  readonly word: Word;
  /** The text without comments, in which every string is replaced by `"n"`, where `n` is its index in `strings`. */
  readonly skeleton: string;
  readonly strings: readonly string[];
}

/** A simple command as it would run: without quoting, variables, aliases and wrappers. */
export interface Command {
  /** The last part of the path. Empty if the command has only redirections and assignments. */
  readonly name: string;
  readonly path: string;
  readonly words: readonly Word[];
  /** The texts of `words`. */
  readonly args: readonly string[];
  readonly redirections: readonly Redirection[];
  readonly input: Input;
  readonly snippets: readonly Snippet[];
  readonly facts: Facts;
  readonly source: Source;
  readonly pos: number;
  readonly end: number;
}

/** Effects of earlier parts of the text that later parts depend on. */
export interface Facts {
  /** Paths that did not exist before this text created them. */
  readonly created: ReadonlySet<string>;
  /** Names of files that this text downloaded. */
  readonly fetched: ReadonlySet<string>;
  /** Whether the text cloned something, or unpacked a download. */
  readonly cloned: boolean;
  readonly noclobber: boolean;
  /** Whether the command is in a loop whose condition never ends it. */
  readonly endlessLoop: boolean;
  /** Whether the command is in a loop that neither ends nor waits. */
  readonly unpacedLoop: boolean;
  readonly background: boolean;
}

/** Returns the name of a command without its folder. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Joins several words into the one text that a shell gets. */
export function joined(words: readonly [Word, ...Word[]]): Word {
  const [first] = words;
  const last = words.at(-1) ?? first;
  if (words.length === 1) return first;
  const text = words.map((word) => word.text).join(' ');
  return { ...first, text, end: last.source === first.source ? Math.max(last.end, first.end) : first.end };
}

export const isFilled = (words: readonly Word[]): words is readonly [Word, ...Word[]] => words.length > 0;
