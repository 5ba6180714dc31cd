import { read } from './classify.js';
import { HOLE, type Command } from './shell/command.js';

/** Matches programs that run a file which their words only name, or do not mention at all. */
const RUNS_A_FILE = /^(g?make|just|task|ninja|rake|ant|gradlew?|mvn|tox|nox|ansible-playbook|pre-commit)$/;
const PACKAGE_SCRIPTS = /^(npm|pnpm|yarn|bun)$/;
const SHELL = /^(sh|bash|dash|zsh|ksh|fish)$/;
const INTERPRETER = /^(python[\d.]*|node|deno|perl|ruby|php|lua)$/;
/** Matches the subcommands with which git runs hooks. */
const HOOKS = /^(commit|merge|rebase|am)$/;
const IS_CODE = /^(-[a-z]*[ceE]|--command|--eval|-m|-p|--version)$/;
const OF_SYSTEM = /^\/(usr\/(local\/)?)?s?bin\//;
const NAMED_MAX = 3;

/**
 * Returns the parts of a command that do not show their changes: `make`, `./fmt.sh`, `sh fmt.sh`. A person should try
 * such a command first. Pure.
 */
export function untoldParts(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading) return ['this text'];
  const parts = reading.commands.flatMap((each) => untold(each) ?? []);
  return [...new Set(parts)].slice(0, NAMED_MAX);
}

/** Returns the part of one command that does not show its changes, or null if its words show everything. */
export function untold({ name, path, args }: Command): string | null {
  if (name.includes(HOLE)) return 'what a variable holds';
  if (path.includes('/') && !OF_SYSTEM.test(path)) return path;
  const operand = args.find((word) => !word.startsWith('-'));
  if (RUNS_A_FILE.test(name)) return operand === undefined ? name : `${name} ${operand}`;
  if (PACKAGE_SCRIPTS.test(name)) return /^(run|test|start|exec|x)$/.test(operand ?? '') ? name : null;
  if (name === 'git') return HOOKS.test(operand ?? '') ? `git ${operand}` : null;
  if (name === '.' || name === 'source') return `${name} ${args.join(' ')}`;
  if (!SHELL.test(name) && !INTERPRETER.test(name)) return null;
  if (args.some((word) => IS_CODE.test(word))) return null;
  return operand === undefined ? name : `${name} ${operand}`;
}
