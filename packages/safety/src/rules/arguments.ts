import { HOLE, type Command, type Word } from '../shell/command.js';
import { TOOLS } from './tools.js';

/** Helpers that read a command's arguments the way most programs do. Options end at `--`. */

const operandsOf = new WeakMap<Command, readonly Word[]>();

/** The words that are neither options nor their values. */
export function operandWords(c: Command): readonly Word[] {
  const known = operandsOf.get(c);
  if (known !== undefined) return known;
  const values = VALUES.get(c.name);
  const words: Word[] = [];
  for (let at = 0; at < c.words.length; at += 1) {
    const word = c.words[at];
    if (word === undefined) break;
    if (word.text === '--') {
      words.push(...c.words.slice(at + 1));
      break;
    }
    if (!word.text.startsWith('-') || word.text === '-') words.push(word);
    else if (values?.has(word.text) === true) at += 1;
  }
  operandsOf.set(c, words);
  return words;
}

const VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...TOOLS].map(([name, tool]) => [name, new Set((tool.values ?? '').split(' '))]),
);

export const operands = (c: Command): readonly string[] => operandWords(c).map((word) => word.text);

/** The operands as one text: `kubectl -n x delete pod a` is `delete pod a`. */
export const path = (c: Command): string => operands(c).join(' ');

/** Whether one of `flags` is given; a short one may stand in a cluster: `-f` is in `-rf`. */
export function has(c: Command, ...flags: readonly string[]): boolean {
  for (const arg of c.args) {
    if (arg === '--') return false;
    if (!arg.startsWith('-') && !arg.startsWith('+')) continue;
    for (const flag of flags) {
      if (arg === flag || (flag.startsWith('--') && arg.startsWith(`${flag}=`))) return true;
      if (/^-[a-zA-Z0-9]$/.test(flag) && /^-[a-zA-Z0-9]+$/.test(arg) && arg.includes(flag.charAt(1))) return true;
    }
  }
  return false;
}

/** Whether one of `flags` is given as a word of its own: for programs whose long options begin with one dash. */
export const exact = (c: Command, ...flags: readonly string[]): boolean =>
  c.args.some((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));

/** The value of an option: `-X DELETE`, `-XDELETE`, `--request=DELETE`. */
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

const NO_HELP = new Set([
  'echo',
  'printf',
  'python',
  'python3',
  'node',
  'perl',
  'ruby',
  'php',
  'awk',
  'sh',
  'bash',
  'eval',
  'test',
  '[',
  'find',
  'mysql',
  'psql',
  '',
]);
const NOT_HELP = new Set([
  'shutdown',
  'halt',
  'poweroff',
  'reboot',
  'chown',
  'chgrp',
  'psql',
  'mysql',
  'redis-cli',
  'sudo',
  'df',
  'du',
  'ls',
  'rm',
]);

/** Whether the command only explains itself, or only says what it would do. */
export function isHarmless(c: Command): boolean {
  const [first] = c.args;
  if (first === undefined) return false;
  const tool = TOOLS.get(c.name);
  const end = c.args.indexOf('--');
  const args = end === -1 ? c.args : c.args.slice(0, end);
  if (!NO_HELP.has(c.name) && args.some((arg) => arg === '--help' || arg === '--usage')) return true;
  if (c.args.length === 1 && /^(--help|--version|-version|-V|-\?|help|version)$/.test(first))
    return !NO_HELP.has(c.name) || c.name === 'find';
  if (c.args.length === 1 && first === '-h') return !NOT_HELP.has(c.name);
  if (args.includes('--version') && c.args.length <= 2) return true;
  if (/^[A-Z][a-z]+-[A-Z]\w+$/.test(c.name) && args.some((arg) => /^-WhatIf$/i.test(arg))) return true;
  if (tool === undefined) return false;
  if (tool.shortHelp === true && args.at(-1) === '-h') return true;
  if (tool.subcommands === true && (first === 'help' || (c.name === 'aws' && args.at(-1) === 'help'))) return true;
  return isDry(c, tool.dry ?? '', args);
}

function isDry(c: Command, dry: string, args: readonly string[]): boolean {
  const flags = dry.split(' ').filter((flag) => flag !== '');
  const no = args.some((arg) => /^--(dry-run|dryrun)=(none|false|0)$/.test(arg));
  return !no && flags.length > 0 && has({ ...c, args }, ...flags);
}

/** Whether a subcommand or the word at `index` is something that only running the text would tell. */
export const isUnknownSubcommand = (c: Command): boolean => {
  if (TOOLS.get(c.name)?.subcommands !== true) return false;
  const [first] = operands(c);
  return first !== undefined && first.includes(HOLE);
};
