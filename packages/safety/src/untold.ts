import { read } from './classify.js';
import { HOLE, type Command } from './shell/command.js';

/** Programs that do what a file says which the words only name, or not even that. */
const RUNS_A_FILE = /^(g?make|just|task|ninja|rake|ant|gradlew?|mvn|tox|nox|ansible-playbook|pre-commit)$/;
const PACKAGE_SCRIPTS = /^(npm|pnpm|yarn|bun)$/;
const SHELL = /^(sh|bash|dash|zsh|ksh|fish)$/;
const INTERPRETER = /^(python[\d.]*|node|deno|perl|ruby|php|lua)$/;
/** Its hooks run with it. */
const HOOKS = /^(commit|merge|rebase|am)$/;
const IS_CODE = /^(-[a-z]*[ceE]|--command|--eval|-m|-p|--version)$/;
const OF_SYSTEM = /^\/(usr\/(local\/)?)?s?bin\//;
const NAMED_MAX = 3;

/**
 * The parts of a command of which its words do not tell what they will change: `make`, `./fmt.sh`, `sh fmt.sh`. A person who
 * reads them should try the command first. Pure.
 */
export function untoldParts(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading) return ['this text'];
  const parts = reading.commands.flatMap((each) => untold(each) ?? []);
  return [...new Set(parts)].slice(0, NAMED_MAX);
}

function untold({ name, path, args }: Command): string | null {
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
