import { z } from 'zod';
import type { Command } from './shell/command.js';

const MAX_PATTERN = 200;

/**
 * A rule of the user's own (`safety.rules`). `commands` are matched against the command as it would run, name and words
 * joined by single spaces, after quoting and wrappers are gone: a glob (`*` any text, `?` one character), or a regular
 * expression between slashes.
 */
export const UserRule = z
  .object({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
    title: z.string().min(1).max(200),
    reason: z.string().max(500).default(''),
    commands: z.array(z.string().min(1).max(MAX_PATTERN).refine(isPattern, 'not a regular expression')).min(1).max(50),
    verdict: z.enum(['destructive', 'safe']).default('destructive'),
  })
  .meta({ id: 'UserRule' });
export type UserRule = z.infer<typeof UserRule>;

const compiled = new WeakMap<UserRule, readonly RegExp[]>();

/** The verdict of the first of the user's rules that matches. */
export function matchUserRules(
  c: Command,
  rules: readonly UserRule[],
): { id: string; reason: string; verdict: 'destructive' | 'safe' } | null {
  if (rules.length === 0 || c.name === '') return null;
  const text = [c.name, ...c.args].join(' ').slice(0, 4_000);
  for (const rule of rules) {
    const isMeant = rule.verdict === 'safe' ? excuses(rule, c, text) : patterns(rule).some((each) => each.test(text));
    if (!isMeant) continue;
    return {
      id: rule.id,
      reason: rule.reason === '' ? rule.title : `${rule.title}: ${rule.reason}`,
      verdict: rule.verdict,
    };
  }
  return null;
}

/** What excuses names every argument: a glob's `*` ends with its argument, and stands for nothing that only running tells. */
function excuses(rule: UserRule, c: Command, text: string): boolean {
  const words = [c.name, ...c.args];
  return rule.commands.some((command) => {
    if (isRegExp(command)) return new RegExp(`^(?:${command.slice(1, -1)})$`, 'u').test(text);
    const globs = command.trim().split(/\s+/);
    return globs.length === words.length && globs.every((glob, at) => excusesWord(glob, words[at] ?? ''));
  });
}

function excusesWord(glob: string, word: string): boolean {
  if (glob === word) return true;
  if (/[\uE000-\uE002]/.test(word) || word.split('/').includes('..')) return false;
  return toGlob(glob).test(word);
}

const isRegExp = (text: string): boolean => text.length > 2 && text.startsWith('/') && text.endsWith('/');

function patterns(rule: UserRule): readonly RegExp[] {
  const known = compiled.get(rule);
  if (known !== undefined) return known;
  const made = rule.commands.map(toPattern);
  compiled.set(rule, made);
  return made;
}

function toPattern(text: string): RegExp {
  if (isRegExp(text)) return new RegExp(text.slice(1, -1), 'u');
  return toGlob(text);
}

function toGlob(text: string): RegExp {
  const glob = text
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${glob}$`, 'su');
}

function isPattern(text: string): boolean {
  try {
    toPattern(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
