import type { Command } from '../shell/command.js';

/** These helpers read a command's options the way most programs do. `--` ends the options. */

/** Whether one of `flags` is given. A short one may be in a cluster: `-f` is in `-rf`. */
export const has = (c: Command, ...flags: readonly string[]): boolean => given(c, { names: flags });

/** Whether one of `flags` is given as a whole word, for programs whose long options begin with one dash. */
export const exact = (c: Command, ...flags: readonly string[]): boolean =>
  c.args.some((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));

/** Returns the value of an option in any spelling: `-X DELETE`, `-XDELETE`, `--request=DELETE`. */
export function option(c: Command, ...flags: readonly string[]): string | null {
  for (const [index, arg] of c.args.entries()) {
    for (const flag of flags) {
      if (arg === flag) return c.args[index + 1] ?? '';
      if (flag.startsWith('--') && arg.startsWith(`${flag}=`)) return arg.slice(flag.length + 1);
      if (/^-[a-zA-Z]$/.test(flag) && arg.startsWith(flag) && !arg.startsWith('--'))
        return arg.slice(2).replace(/^=/, '');
      if (/^-[a-zA-Z]$/.test(flag) && /^-[a-zA-Z]+$/.test(arg) && arg.endsWith(flag.charAt(1)))
        return c.args[index + 1] ?? '';
    }
  }
  return null;
}

/** An option to look for. `*` in a name matches any text. */
export interface Wanted {
  readonly names: readonly string[];
  /** If this is set, the option counts only with a value that matches. */
  readonly value?: RegExp | null;
  /** Whether a long option also counts when abbreviated: `--forc`. */
  readonly abbreviated?: boolean;
}

export function given(c: Command, wanted: Wanted): boolean {
  const { names, value = null } = wanted;
  const end = c.args.includes('--') ? c.args.indexOf('--') : c.args.length;
  for (const [at, arg] of c.args.entries()) {
    if (at > end && !names.some(isLongWithOneDash)) return false;
    if (!arg.startsWith('-') && !arg.startsWith('+')) continue;
    for (const name of names) {
      const found = valueOf(arg, name, wanted);
      if (found !== null && (value === null || value.test(found === '' ? (c.args[at + 1] ?? '') : found))) return true;
    }
  }
  return false;
}

/**
 * Whether a name is a long option with one dash. For programs with such options, `--` does not end the options: `find
 * -- x -delete`.
 */
const isLongWithOneDash = (name: string): boolean => /^-[a-z]{2}/.test(name);

/** Complete options whose names are also the beginning of longer ones. */
const WHOLE =
  /^--(?:add|all|apply|check|clean|clear|cluster|config|create|data|delete|disable|enable|export|file|filter|force|import|input|install|list|log|mode|name|output|remove|replace|reset|restore|set|show|start|stop|sync|test|time|update|upgrade|user|write)$/;

/** Returns the text after the option `name` in `arg`, or null if `arg` is another option. */
function valueOf(arg: string, name: string, { value, abbreviated }: Wanted): string | null {
  const [word = '', ...rest] = arg.split('=');
  if (word === name || (name.includes('*') && anyText(name).test(word))) return rest.join('=');
  if (name.startsWith('--'))
    return abbreviated === true && word.length > 4 && !WHOLE.test(word) && name.startsWith(word)
      ? rest.join('=')
      : null;
  if (!/^-[a-zA-Z0-9]$/.test(name)) return null;
  if (/^-[a-zA-Z0-9]+$/.test(arg) && arg.includes(name.charAt(1))) return arg.startsWith(name) ? arg.slice(2) : '';
  return value !== null && value !== undefined && arg.startsWith(name) ? arg.slice(2) : null;
}

const wildcards = new Map<string, RegExp>();

/** Turns `a|b-*` into a regular expression for a whole word. */
export function anyText(text: string): RegExp {
  const known = wildcards.get(text);
  if (known !== undefined) return known;
  const sources = text.split('|').map((part) => part.replace(/[.+?^${}()[\]\\]/g, '\\$&').replaceAll('*', '.*'));
  const made = new RegExp(`^(?:${sources.join('|')})$`, 's');
  wildcards.set(text, made);
  return made;
}
