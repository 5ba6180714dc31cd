import type { Command, Word } from '../shell/command.js';

/** How bad an unintended effect is. People see the worst findings first. */
export type Severity = 'low' | 'medium' | 'high' | 'critical';

/**
 * One destructive idiom. `stops` and `passes` are its tests: commands that this rule must call destructive, and
 * commands that this rule must not stop.
 */
export interface Rule {
  /** Subject and idiom, for example `git.push-force`. The ID is stored with decisions, so it never changes. */
  readonly id: string;
  readonly title: string;
  /** Names what is lost, in words for a HALT. */
  readonly why: string;
  readonly severity: Severity;
  /** Names of the commands that the rule judges. A rule without names judges every command. */
  readonly tools?: readonly string[];
  /**
   * Decides whether the command is destructive. Returns true, the guilty word if a single word is guilty, or a text
   * that replaces `why`.
   */
  readonly matches: (command: Command) => boolean | Word | string;
  /** Whether the rule applies even with `--help` or a dry run, because these mean nothing for its subject. */
  readonly ignoresDryRun?: true;
  readonly stops: readonly string[];
  readonly passes: readonly string[];
}
