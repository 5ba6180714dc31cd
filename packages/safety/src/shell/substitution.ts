import type { ArithmeticExpansionPart, ParsedScript, ProcessSubstitutionPart } from 'unbash';
import type { ProcessText, Word } from './command.js';
import type { Source } from './source.js';

/** What expansion needs from whoever runs the text. */
export interface Substitution {
  /** Visits a `$( )`, and says what it prints: HOLE where that is not known. */
  readonly output: (script: ParsedScript | undefined, source: Source, pos: number, end: number) => string;
  readonly process: (part: ProcessSubstitutionPart, source: Source) => ProcessText;
  /** Visits what an arithmetic expansion runs. */
  readonly arithmetic: (node: ArithmeticExpansionPart, source: Source) => void;
  /** Visits what is evaluated again when it is expanded: a number, the name of a variable, a prompt. */
  readonly number: (word: Word) => void;
  readonly name: (word: Word) => void;
  readonly prompt: (word: Word) => void;
}
