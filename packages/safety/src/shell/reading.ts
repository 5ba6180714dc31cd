import type { Word as WordNode } from 'unbash';
import type { Command, Input, Redirection, Snippet, Word } from './command.js';
import type { Scope } from './scope.js';
import type { Source } from './source.js';

export type Place = Pick<Command, 'source' | 'pos' | 'end'>;

/** What the words of one simple command are run with. */
export interface Run extends Place {
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly input: Input;
}

/** A variable that programs are given. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** What those that know one kind of command need from the one that reads the whole text. */
export interface Reader {
  readonly scope: Scope;
  /** Functions and aliases that are being run: one that runs itself never ends. */
  readonly running: string[];
  /** Texts that earlier commands wrote to files. */
  readonly written: ReadonlyMap<string, { readonly text: string; readonly word: Word }>;
  /** What this text puts into the environment of programs. */
  readonly environment: Variable[];
  /** Notes something that only running the text would tell. */
  gap(id: string, reason: string, place: Place | null): void;
  /** Reads shell text inside a word. @returns what it prints. */
  code(word: Word, input: Input, text?: string): Input;
  /** Reads text that may be a command: what cannot be read of it counts for nothing. */
  guess(word: Word, text: string): void;
  /** Finds what the words of a command run in the end. */
  run(run: Run): Input;
  /** Adds a command to the reading as it is. */
  emit(run: Run, snippets?: readonly Snippet[]): Input;
  /** Runs a function that the text defined. */
  call(name: string, args: readonly string[], input: Input, place: Place): Input;
}

/** What reads the parser's nodes, too. */
export interface NodeReader extends Reader {
  /** The words that the shell makes of a node; what its substitutions run is read on the way. */
  words(node: WordNode, source: Source): readonly Word[];
  /** Its text, as one word. */
  text(node: Pick<WordNode, 'parts' | 'value'>, source: Source): string;
}
