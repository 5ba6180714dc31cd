import type { Command, Word } from '../shell/command.js';
import { fits, type Pattern } from './pattern.js';
import type { Severity } from './rule.js';

/** Facts about a program, apart from what it destroys. Each fact is in one of the program's rows. */
export interface Facts {
  /** Options that take the next word. */
  readonly values: string;
  /** Options that make every call of it a dry run. */
  readonly dry: string;
  /** `-h` means help. */
  readonly shortHelp: boolean;
  /** A subcommand counts by a beginning that no other known word has: `qm des 100`. Long options always do. */
  readonly abbreviates: ReadonlySet<'subcommands'>;
  /** Known words that neither destroy nor only read: so that `qm sta` is not taken for `stop`. */
  readonly makes: readonly Pattern[];
  /** All that only reads and prints, with no other options than those of the pattern and the harmless ones. */
  readonly reads: readonly Pattern[];
  /** Options that neither write, run nor open anything, in all that `reads` names. `*` alone: none of its options does. */
  readonly harmless: readonly string[];
  /** Every word of it that destroys is in the table: what the table does not stop is meant to pass. */
  readonly complete: boolean;
}

/** One program, and what one rule says of it. */
export interface Row extends Facts {
  /** The program's names, the commonest first. */
  readonly names: readonly string[];
  /** What destroys; `what` is lost by it, where the rule's `why` says too little. */
  readonly loses: readonly { readonly pattern: Pattern; readonly what: string | null }[];
  /** What no pattern can say, asked after `loses`: the guilty word, where one is. */
  readonly odd: Odd | null;
  /** Excuses that override `loses` and `odd`. */
  readonly unless: readonly Pattern[];
  /** Commands that this rule must stop, under each name of the program. */
  readonly stops: readonly string[];
  /** Commands that the whole table must pass. */
  readonly passes: readonly string[];
}

export type Odd = (c: Command, operands: readonly string[]) => boolean | Word;

/** A rule that is a table: what is lost, and the programs that lose it. */
export interface TableRule {
  /** Subject and idiom: `git.push-force`. Stored with decisions; never changed. */
  readonly id: string;
  readonly title: string;
  readonly why: string;
  readonly severity: Severity;
  readonly rows: readonly Row[];
  /** It judges even where `--help` or a dry run is asked for. */
  readonly ignoresDryRun?: true;
}

/** Whether a row stops a command: true, the guilty word, or what is lost. */
export function judgeRow(row: Row, c: Command, operands: readonly string[]): boolean | Word | string {
  if (row.unless.some((pattern) => fits(pattern, c, operands))) return false;
  const found = row.loses.find(({ pattern }) => fits(pattern, c, operands, true));
  if (found !== undefined) return found.what ?? true;
  return row.odd?.(c, operands) ?? false;
}
