import type { Classification, Finding } from '@aish/contracts/safety';
import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Command, Word } from './shell/command.js';
import { isTooMuch } from './shell/limits.js';
import { readShell, type Reading } from './shell/reader.js';
import type { Span } from './shell/source.js';
import { isHarmless, isUnknownSubcommand } from './rules/arguments.js';
import { rulesFor } from './rules/catalogue.js';
import { REDIRECTIONS } from './rules/redirections.rules.js';
import type { Rule } from './rules/rule.js';
import { matchUserRules } from './user-rules.js';

export interface ClassifyOptions {
  /** The user's own rules. They are checked before the built-in ones. */
  readonly rules?: readonly UserRule[];
}

const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

/** Maximum number of findings for one command. Further findings are only counted. */
const MOST_FINDINGS = 200;

/**
 * Decides whether `command`, run by a shell exactly as written, would delete, overwrite or irreversibly modify
 * something. Returns every objection to it. The verdict is `unknown` if the text does not show what would run. Never
 * throws; pure.
 */
export function classify(command: string, { rules = [] }: ClassifyOptions = {}): Classification {
  const reading = read(command);
  if ('ruleId' in reading) return { ...reading, by: 'rule' };
  const excusedBy = new Set<string>();
  const [first, ...others] = [
    ...reading.commands.flatMap((item) => judge(item, rules, excusedBy)),
    ...reading.gaps.map((gap) => finding('unknown', gap.id, gap.reason, gap.span)),
    ...reading.commands.filter(isUnknownSubcommand).map(unknownSubcommand),
  ];
  return {
    ...(first === undefined ? SAFE : { ...first, by: 'rule' }),
    ...(others.length === 0 ? {} : { others: boundedFindings(others) }),
    ...(excusedBy.size === 0 ? {} : { excusedBy: [...excusedBy] }),
  };
}

/**
 * Limits findings to a number that a person can read. The last finding says how many were omitted, and a grant of a
 * rule never covers it.
 */
export function boundedFindings(others: readonly Finding[]): Finding[] {
  if (others.length < MOST_FINDINGS) return [...others];
  const more = `${others.length - MOST_FINDINGS + 2} more parts of it are risky`;
  return [...others.slice(0, MOST_FINDINGS - 2), finding('unknown', 'unresolved.too-many', more, null)];
}

const unknownSubcommand = (c: Command): Finding =>
  finding('unknown', 'unresolved.subcommand', `the arguments of ${c.name} are known only when it runs`, spanOf(c));

/** Returns the commands of a text, or the reason why they cannot be read. */
export function read(command: string): Reading | Finding {
  if (isTooMuch(command))
    return finding('unknown', 'unresolved.too-long', 'it is too long or too deeply nested to read completely', null);
  if (/[\uE000-\uE002]/.test(command))
    return finding('unknown', 'unresolved.characters', 'it contains characters that no command has', null);
  try {
    return readShell(command);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return finding('unknown', 'unresolved.too-deep', 'it is nested too deeply to read completely', null);
  }
}

/**
 * Returns the findings of each rule about one command. A finding that rests on words alone counts only if no more
 * specific rule applies.
 */
function judge(c: Command, userRules: readonly UserRule[], excusedBy: Set<string>): readonly Finding[] {
  const own = matchUserRules(c, userRules);
  if (own?.verdict === 'destructive') return [finding('destructive', own.id, own.reason, spanOf(c))];
  if (own !== null) excusedBy.add(own.id);
  const harmless = isHarmless(c);
  const found: Finding[] = [];
  // A "safe" rule of the user covers the command itself, but not the file that its output goes to.
  for (const rule of own === null ? rulesFor(c.name) : redirectionRules(c.name)) {
    if (harmless && rule.ignoresDryRun !== true) continue;
    if (found.length > 0 && rule.id.startsWith('generic.')) continue;
    const guilty = rule.matches(c);
    if (guilty === false) continue;
    const why = typeof guilty === 'string' ? guilty : rule.why;
    const span = typeof guilty === 'object' ? wordSpan(guilty) : spanOf(c);
    found.push(finding('destructive', rule.id, `${rule.title}: ${why}`, span));
  }
  return found;
}

const redirectionRules = (name: string): readonly Rule[] =>
  REDIRECTIONS.filter(({ tools }) => tools === undefined || tools.includes(name));

function finding(verdict: Finding['verdict'], ruleId: string, reason: string, span: Span | null): Finding {
  return { verdict, reason, ruleId, span: span === null ? null : [...span] };
}

const spanOf = (c: Command): Span => c.source.spanOf(c.pos, c.end);
const wordSpan = (word: Word): Span => word.source.spanOf(word.pos, word.end);
