import type { Classification } from '@aish/contracts/safety';
import type { Command, Word } from './shell/command.js';
import { isTooMuch } from './shell/limits.js';
import { readShell, type Reading } from './shell/reader.js';
import type { Span } from './shell/source.js';
import { isHarmless, isUnknownSubcommand } from './rules/arguments.js';
import { rulesFor } from './rules/catalogue.js';
import { REDIRECTIONS } from './rules/redirections.rules.js';
import type { Rule } from './rules/rule.js';
import type { UserRule } from './user-rules.js';
import { matchUserRules } from './user-rules.js';

export interface ClassifyOptions {
  /** The user's own rules; they are asked before the built-in ones. */
  readonly rules?: readonly UserRule[];
}

const SAFE: Classification = { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' };

/**
 * Whether `command`, run exactly as written by a shell, would delete, overwrite or irreversibly modify something.
 * `unknown` where the text does not say what would run. Never throws; pure.
 */
export const classify = (command: string, options: ClassifyOptions = {}): Classification =>
  findings(command, options, 1)[0] ?? SAFE;

/**
 * All that speaks against running `command`, each with its place in it: what destroys in the order of the text, then
 * what only running it would tell. Empty where it is safe. `most` ends the search early.
 */
export function findings(
  command: string,
  { rules = [] }: ClassifyOptions = {},
  most = Number.POSITIVE_INFINITY,
): readonly Classification[] {
  const reading = read(command);
  if ('verdict' in reading) return [reading];
  const found: Classification[] = [];
  for (const item of reading.commands) {
    found.push(...judge(item, rules));
    if (found.length >= most) return found;
  }
  for (const gap of reading.gaps) found.push(answer('unknown', gap.id, gap.reason, gap.span));
  for (const item of reading.commands.filter(isUnknownSubcommand))
    found.push(
      answer(
        'unknown',
        'unresolved.subcommand',
        `what ${item.name} is told comes from data that only running it would tell`,
        spanOf(item),
      ),
    );
  return found;
}

/** The commands of a text, or why they cannot be read. */
export function read(command: string): Reading | Classification {
  if (isTooMuch(command))
    return answer(
      'unknown',
      'unresolved.too-long',
      'this is too long or too deeply nested to be read to its end',
      null,
    );
  if (/[\uE000-\uE002]/.test(command))
    return answer('unknown', 'unresolved.characters', 'it holds characters that no command has', null);
  try {
    return readShell(command);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return answer('unknown', 'unresolved.too-deep', 'this is nested too deeply to be read to its end', null);
  }
}

/** What each rule says against one command; what only its words say counts where no rule knows more. */
function judge(c: Command, userRules: readonly UserRule[]): readonly Classification[] {
  const own = matchUserRules(c, userRules);
  if (own?.verdict === 'destructive') return [answer(own.verdict, own.id, own.reason, spanOf(c))];
  const harmless = isHarmless(c);
  const found: Classification[] = [];
  // What the user calls safe is the command itself, not where its output goes.
  for (const rule of own === null ? rulesFor(c.name) : redirectionRules(c.name)) {
    if (harmless && rule.ignoresDryRun !== true) continue;
    if (found.length > 0 && rule.id.startsWith('generic.')) continue;
    const guilty = rule.matches(c);
    if (guilty === false) continue;
    const why = typeof guilty === 'string' ? guilty : rule.why;
    const span = typeof guilty === 'object' ? wordSpan(guilty) : spanOf(c);
    found.push(answer('destructive', rule.id, `${rule.title}: ${why}`, span));
  }
  return found;
}

const redirectionRules = (name: string): readonly Rule[] =>
  REDIRECTIONS.filter(({ tools }) => tools === undefined || tools.includes(name));

function answer(verdict: Classification['verdict'], ruleId: string, reason: string, span: Span | null): Classification {
  return { verdict, reason, ruleId, span: span === null ? null : [...span], by: 'rule' };
}

const spanOf = (c: Command): Span => c.source.spanOf(c.pos, c.end);
const wordSpan = (word: Word): Span => word.source.spanOf(word.pos, word.end);
