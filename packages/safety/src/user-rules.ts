import { isRegExp, type UserRule } from '@aish/contracts/config/user-rules';
import type { Command } from './shell/command.js';

const compiled = new WeakMap<UserRule, readonly RegExp[]>();

/** Returns the verdict of the user's first matching rule. */
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

/**
 * Whether a "safe" rule matches every argument. The `*` of a glob ends with its argument, and never matches a part that
 * is known only when the command runs.
 */
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
