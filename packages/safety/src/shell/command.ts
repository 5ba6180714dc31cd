import type { Source } from './source.js';

/** A placeholder in a text for a part that is known only when the command runs. */
export const HOLE = '\uE000';
/** A placeholder in a path for the random part of a name from `mktemp` or the clock. No file has that name yet. */
export const NEW = '\uE001';

/** One word after quoting, expansion and splitting, as the program would get it. */
export interface Word {
  readonly text: string;
  readonly source: Source;
  readonly pos: number;
  readonly end: number;
  /** An unquoted wildcard is in it. */
  readonly glob: boolean;
  /** `<( )` or `>( )`: what stands inside. */
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

/** What a command reads on its standard input, as far as the text tells. */
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

/** Code for something else than the shell, found in a command. */
export interface Snippet {
  readonly language: Language;
  readonly text: string;
  readonly word: Word;
  /** The text without comments, each string replaced by `"n"`, n being its place in `strings`. */
  readonly skeleton: string;
  readonly strings: readonly string[];
}

/** A simple command as it would be run: quoting, variables, aliases and wrappers are gone. */
export interface Command {
  /** Last part of the path; empty when there are redirections and assignments only. */
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

/** What earlier parts of the same text did that later parts depend on. */
export interface Facts {
  /** Paths that did not exist before this text made them. */
  readonly created: ReadonlySet<string>;
  /** Names of files that this text fetched from elsewhere. */
  readonly fetched: ReadonlySet<string>;
  /** The text has cloned or unpacked something that it fetched. */
  readonly cloned: boolean;
  readonly noclobber: boolean;
  /** Inside a loop whose condition never ends it. */
  readonly endlessLoop: boolean;
  /** Inside a loop that neither ends nor waits. */
  readonly unpacedLoop: boolean;
  readonly background: boolean;
}

/** A command's name without its folder. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Several words as the one text that a shell gets. */
export function joined(words: readonly [Word, ...Word[]]): Word {
  const [first] = words;
  const last = words.at(-1) ?? first;
  if (words.length === 1) return first;
  const text = words.map((word) => word.text).join(' ');
  return { ...first, text, end: last.source === first.source ? Math.max(last.end, first.end) : first.end };
}

export const isFilled = (words: readonly Word[]): words is readonly [Word, ...Word[]] => words.length > 0;
