import type { Command, Word } from '../shell/command.js';
import { fits, type Pattern } from './pattern.js';
import type { Severity } from './rule.js';

/** Facts about a program, apart from what it destroys. Each fact appears in one of the program's rows. */
export interface Facts {
  /** Options that take the next word as their value. */
  readonly values: string;
  /** Options that turn every call of the program into a dry run. */
  readonly dry: string;
  /** Whether `-h` means help. */
  readonly shortHelp: boolean;
  /**
   * Whether a subcommand may be abbreviated, provided that no other known word has the same beginning: `qm des 100`.
   * Long options can always be abbreviated.
   */
  readonly abbreviates: ReadonlySet<'subcommands'>;
  /**
   * Known words that neither destroy anything nor only read. With them in the table, `qm sta` is not mistaken for
   * `stop`.
   */
  readonly makes: readonly Pattern[];
  /** All uses that only read and print. Only the options of the pattern and the harmless ones are allowed in them. */
  readonly reads: readonly Pattern[];
  /**
   * Options that neither write, run nor open anything, in every use of `reads`. `*` alone means all options of the
   * program.
   */
  readonly harmless: readonly string[];
  /** Whether the table contains every destructive word of the program, so that everything else should pass. */
  readonly complete: boolean;
}

/** One program, and the facts that one rule states about it. */
export interface Row extends Facts {
  /** The names of the program, the most common first. */
  readonly names: readonly string[];
  /** The destructive uses. `what` names what is lost, if the rule's `why` is not specific enough. */
  readonly loses: readonly { readonly pattern: Pattern; readonly what: string | null }[];
  /**
   * A check for uses that no pattern can express, called after `loses`. It returns the guilty word, if there is one.
   */
  readonly odd: Odd | null;
  /** Exceptions that override `loses` and `odd`. */
  readonly unless: readonly Pattern[];
  /** Commands that this rule must stop, under each name of the program. */
  readonly stops: readonly string[];
  /** Commands that no rule of the table may stop. */
  readonly passes: readonly string[];
}

export type Odd = (c: Command, operands: readonly string[]) => boolean | Word;

/** A rule as a table: what is lost, and the programs that destroy it. */
export interface TableRule {
  /** Subject and idiom, for example `git.push-force`. The ID is stored with decisions, so it never changes. */
  readonly id: string;
  readonly title: string;
  readonly why: string;
  readonly severity: Severity;
  readonly rows: readonly Row[];
  /** Whether the rule applies even with `--help` or a dry run. */
  readonly ignoresDryRun?: true;
}

/** Returns whether a row stops a command: true, the guilty word, or a text that names what is lost. */
export function judgeRow(row: Row, c: Command, operands: readonly string[]): boolean | Word | string {
  if (row.unless.some((pattern) => fits(pattern, c, operands))) return false;
  const found = row.loses.find(({ pattern }) => fits(pattern, c, operands, true));
  if (found !== undefined) return found.what ?? true;
  return row.odd?.(c, operands) ?? false;
}
