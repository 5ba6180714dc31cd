import type { Command, Word } from '../shell/command.js';

/** How bad it is when it was not meant: the order of what a person looks at first. */
export type Severity = 'low' | 'medium' | 'high' | 'critical';

/**
 * One destructive idiom. `stops` and `passes` are its tests: commands that must be called destructive by this rule, and
 * commands that this rule must leave alone.
 */
export interface Rule {
  /** Subject and idiom: `git.push-force`. Stored with decisions; never changed. */
  readonly id: string;
  readonly title: string;
  /** What is lost, in words that stand in a HALT. */
  readonly why: string;
  readonly severity: Severity;
  /** Names of commands that it is asked about; without them it is asked about every command. */
  readonly tools?: readonly string[];
  /** True when the command is destructive; the guilty word where one word is the guilty part; or what is lost instead of `why`. */
  readonly matches: (command: Command) => boolean | Word | string;
  /** It judges even where `--help` or a dry run is asked for: these words mean nothing to what it is about. */
  readonly ignoresDryRun?: true;
  readonly stops: readonly string[];
  readonly passes: readonly string[];
}
