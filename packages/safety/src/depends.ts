import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Classification } from '@aish/contracts/safety';
import { RULES } from './rules/catalogue.js';

const DEPENDS: ReadonlySet<string> = new Set(RULES.flatMap(({ id, depends }) => (depends === true ? [id] : [])));

/** Rules that stop a command for the files that it destroys, and for nothing else. */
export const OF_FILES: ReadonlySet<string> = new Set([
  ...DEPENDS,
  ...['remove', 'remove-directory', 'trash', 'shred', 'find-delete', 'find-writes', 'truncate', 'write-option'].map(
    inFiles,
  ),
  ...['link-over', 'rename-many', 'archive-removes', 'duplicates', 'compress', 'output-over-input'].map(inFiles),
  'edit.in-place',
  'edit.sed-writes',
  'edit.formatter',
  'git.reset-hard',
  'git.checkout',
  'git.clean',
  'git.remove',
]);

/**
 * Whether all that speaks against a command is that something may be there already, which running it tells.
 * @param rules the user's own: what one of them stops is stopped, whatever its id.
 */
export function onlyDepends(classification: Classification, rules: OwnRules = []): boolean {
  return onlyOf(DEPENDS, classification, rules);
}

/** Whether all that speaks against a command is that it destroys files, which brings back whoever has them of before. */
export function onlyFiles(classification: Classification, rules: OwnRules = []): boolean {
  return onlyOf(OF_FILES, classification, rules);
}

type OwnRules = readonly Pick<UserRule, 'id'>[];

function onlyOf(ids: ReadonlySet<string>, classification: Classification, rules: OwnRules): boolean {
  const { verdict, by, ruleId, others = [] } = classification;
  if (verdict !== 'destructive' || by !== 'rule') return false;
  const own = new Set(rules.map(({ id }) => id));
  return [ruleId, ...others.map((other) => other.ruleId)].every((id) => id !== null && ids.has(id) && !own.has(id));
}

function inFiles(idiom: string): string {
  return `files.${idiom}`;
}
