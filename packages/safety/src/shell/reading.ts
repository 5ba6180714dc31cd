import type { Word as WordNode } from 'unbash';
import type { Command, Input, Redirection, Snippet, Word } from './command.js';
import type { Scope } from './scope.js';
import type { Source, Span } from './source.js';

export type Place = Pick<Command, 'source' | 'pos' | 'end'>;

/** The words of one simple command, and its context. */
export interface Run extends Place {
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly input: Input;
}

/** A variable in the environment of programs. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly span: Span;
}

/** The services that the reader of the whole text offers to handlers of single commands. */
export interface Reader {
  readonly scope: Scope;
  /**
   * Functions and aliases that are being read. They are tracked because a function that calls itself would never end.
   */
  readonly running: string[];
  /** Texts that earlier commands wrote to files. */
  readonly written: ReadonlyMap<string, { readonly text: string; readonly word: Word }>;
  /** The variables that this text puts into the environment of programs. */
  readonly environment: Variable[];
  /** Records a part whose effect is known only when it runs. */
  gap(id: string, reason: string, place: Place | null): void;
  /**
   * Reads shell text inside a word.
   *
   * @returns the output of that text
   */
  code(word: Word, input: Input, text?: string): Input;
  /** Reads text that may be a command. Parts that cannot be read are ignored. */
  guess(word: Word, text: string): void;
  /** Finds the programs that the words of a command finally run, and reads them. */
  run(run: Run): Input;
  /** Adds a command to the reading without changes. */
  emit(run: Run, snippets?: readonly Snippet[]): Input;
  /** Runs a function that the text defined. */
  call(name: string, args: readonly string[], input: Input, place: Place): Input;
}

/** The services for handlers that also read the parser's nodes. */
export interface NodeReader extends Reader {
  /** Returns the words that the shell makes of a node, and reads the commands that the substitutions in them run. */
  words(node: WordNode, source: Source): readonly Word[];
  /** Returns the text of the node as one word. */
  text(node: Pick<WordNode, 'parts' | 'value'>, source: Source): string;
}
