import type { Classification } from '@aish/contracts';
import type { Command, Word } from './shell/command.js';
import { isTooMuch } from './shell/limits.js';
import { readShell, type Reading } from './shell/reader.js';
import type { Span } from './shell/source.js';
import { isHarmless, isUnknownSubcommand } from './rules/arguments.js';
import { rulesFor } from './rules/catalogue.js';
import { REDIRECTIONS } from './rules/redirections.rules.js';
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
export function classify(command: string, options: ClassifyOptions = {}): Classification {
  const reading = read(command);
  if ('verdict' in reading) return reading;
  for (const item of reading.commands) {
    const found = judge(item, options.rules ?? []);
    if (found !== null) return found;
  }
  const gap = reading.gaps[0];
  if (gap !== undefined) return answer('unknown', gap.id, gap.reason, gap.span);
  const open = reading.commands.find((item) => isUnknownSubcommand(item));
  if (open !== undefined)
    return answer(
      'unknown',
      'unresolved.subcommand',
      `what ${open.name} is told comes from data that only running it would tell`,
      spanOf(open),
    );
  return SAFE;
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

function judge(c: Command, userRules: readonly UserRule[]): Classification | null {
  const own = matchUserRules(c, userRules);
  if (own?.verdict === 'destructive') return answer(own.verdict, own.id, own.reason, spanOf(c));
  const harmless = isHarmless(c);
  // What the user calls safe is the command itself, not where its output goes.
  for (const rule of own === null
    ? rulesFor(c.name)
    : REDIRECTIONS.filter(({ tools }) => tools === undefined || tools.includes(c.name))) {
    if (harmless && rule.ignoresDryRun !== true) continue;
    const found = rule.matches(c);
    if (found !== false)
      return answer('destructive', rule.id, `${rule.title}: ${rule.why}`, found === true ? spanOf(c) : wordSpan(found));
  }
  return null;
}

function answer(verdict: Classification['verdict'], ruleId: string, reason: string, span: Span | null): Classification {
  return { verdict, reason, ruleId, span: span === null ? null : [...span], by: 'rule' };
}

const spanOf = (c: Command): Span => c.source.spanOf(c.pos, c.end);
const wordSpan = (word: Word): Span => word.source.spanOf(word.pos, word.end);
