import { HOLE, type Command, type Word } from '../shell/command.js';
import { has } from './options.js';
import { programOf, type Arguments } from './programs.js';
import { TOOLS, type Tool } from './tools.js';

export { exact, has, option } from './options.js';

const tools = new Map<string, Tool>();

/** Returns how the options of a program are written. */
function toolOf(name: string): Tool {
  const known = tools.get(name);
  if (known !== undefined) return known;
  const program = programOf(name);
  const tool = TOOLS.get(name) ?? {};
  const made: Tool = {
    values: `${tool.values ?? ''} ${program?.facts.values ?? ''}`,
    dry: `${tool.dry ?? ''} ${program?.facts.dry ?? ''}`,
    shortHelp: tool.shortHelp === true || program?.facts.shortHelp === true,
    subcommands: tool.subcommands === true || program?.hasSubcommands === true,
  };
  if (tools.size < MAX_TOOLS) tools.set(name, made);
  return made;
}

/** Maximum number of cached programs. The cache needs a limit, because the names come from typed commands. */
const MAX_TOOLS = 5_000;

interface Split extends Arguments {
  readonly operandWords: readonly Word[];
}

const splits = new WeakMap<Command, Split>();

/** Separates operands from options and their values. The result is cached for each command. `--` ends the options. */
export function argumentsOf(c: Command): Split {
  const known = splits.get(c);
  if (known !== undefined) return known;
  const values = new Set(toolOf(c.name).values?.split(' '));
  const words: Word[] = [];
  const options: string[] = [];
  for (let at = 0; at < c.words.length; at += 1) {
    const word = c.words[at];
    if (word === undefined) break;
    if (word.text === '--') {
      words.push(...c.words.slice(at + 1));
      break;
    }
    if (!word.text.startsWith('-') || word.text === '-') words.push(word);
    else {
      options.push(word.text);
      if (values.has(word.text)) at += 1;
    }
  }
  const split = { operandWords: words, operands: words.map(({ text }) => text), options };
  splits.set(c, split);
  return split;
}

/** Returns the words that are neither options nor their values. */
export const operandWords = (c: Command): readonly Word[] => argumentsOf(c).operandWords;

export const operands = (c: Command): readonly string[] => argumentsOf(c).operands;

/** Returns the operands as one text: `kubectl -n x delete pod a` gives `delete pod a`. */
export const path = (c: Command): string => operands(c).join(' ');

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

/** Whether the command only shows its help, or only reports what it would do. */
export function isHarmless(c: Command): boolean {
  const [first] = c.args;
  if (first === undefined) return false;
  const tool = toolOf(c.name);
  const end = c.args.indexOf('--');
  const args = end === -1 ? c.args : c.args.slice(0, end);
  if (!NO_HELP.has(c.name) && args.some((arg) => arg === '--help' || arg === '--usage')) return true;
  if (c.args.length === 1 && /^(--help|--version|-version|-V|-\?|help|version)$/.test(first))
    return !NO_HELP.has(c.name) || c.name === 'find';
  if (c.args.length === 1 && first === '-h') return !NOT_HELP.has(c.name);
  if (args.includes('--version') && c.args.length <= 2) return true;
  if (/^[A-Z][a-z]+-[A-Z]\w+$/.test(c.name) && args.some((arg) => /^-WhatIf$/i.test(arg))) return true;
  if (tool.shortHelp === true && args.at(-1) === '-h') return true;
  if (tool.subcommands === true && first === 'help') return true;
  return isDry(c, tool.dry ?? '', args);
}

function isDry(c: Command, dry: string, args: readonly string[]): boolean {
  const flags = dry.split(' ').filter((flag) => flag !== '');
  const no = args.some((arg) => /^--(dry-run|dryrun)=(none|false|0)$/.test(arg));
  return !no && flags.length > 0 && has({ ...c, args }, ...flags);
}

/** Whether a subcommand, or the word at `index`, is known only when the text runs. */
export const isUnknownSubcommand = (c: Command): boolean => {
  if (toolOf(c.name).subcommands !== true) return false;
  const [first] = operands(c);
  return first !== undefined && first.includes(HOLE);
};
