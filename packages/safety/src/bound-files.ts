import type { BoundFile } from '@aish/contracts/execution-context';
import { read } from './classify.js';
import { onlyReads } from './known-read-only.js';
import { namedPaths, pathsNamedBy } from './named-paths.js';
import { HOLE, type Command } from './shell/command.js';
import { SHELLS } from './shell/shells.js';

const FILES_MAX = 200;
/**
 * Maximum length of the list in characters. The list is sent in the query of a URL, together with the names of
 * variables.
 */
const CHARS_MAX = 2_500;
/** Everything in the starting folder, for a text that cannot be fully read. */
const EVERYTHING: readonly BoundFile[] = [{ path: '.', use: 'runs' }];

/** Files that programs run or read in their working folder by default, although the command does not name them. */
const OF_THEMSELVES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^git$/, ['.git/hooks/*', '.git/config', '.gitattributes']],
  [/^(?:npm|npx|yarn|pnpm|bun)$/, ['package.json', '.npmrc']],
  [/^(?:docker|podman|docker-compose|podman-compose)$/, ['compose*.y*ml', 'docker-compose*.y*ml', '.env']],
];
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|Rscript|tsx|ts-node|source|\.)$/;
/** Options of shells and interpreters that take the next word as their value. That word is not the script. */
const TAKES_VALUE: readonly (readonly [RegExp, RegExp])[] = [
  [/^python/, /^-(?:[A-Za-z]*[WXQ]|-check-hash-based-pycs)$/],
  [
    /^(?:node|tsx|ts-node|deno|bun)$/,
    /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|config|preload|cwd))$/,
  ],
  [/^(?:perl|ruby)$/, /^-[IrCE]$/],
  [/^php$/, /^-[cdfz]$/],
  [/^lua$/, /^-l$/],
  [/sh$/, /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/],
];
/** Words of `deno run x.ts` and `bun run x.ts` before the script. */
const RUNS_NEXT = /^(?:run|test|exec|x)$/;
type Options = readonly (readonly [RegExp, RegExp])[];
/** Options whose value is a file with code or settings for a program. */
const CODE: Options = [
  [
    /^(?:[gmn]?awk|sed|jq|g?make|psql|mysql|mariadb|nft|at|batch|just|ninja|rake|docker|podman|(?:docker|podman)-compose|kubectl|oc|helm)$/,
    /^-[a-zA-Z]{0,6}f$|^--(?:file|filename|from-file|makefile|justfile|rakefile)$/,
  ],
  [/^(?:kubectl|oc)$/, /^-k$|^--kustomize$/],
  [/^docker$/, /^(?:-c|--compose-file)$/],
  [/^curl$/, /^-[a-zA-Z]*K$|^--config$/],
  [/^(?:ssh|scp|sftp)$/, /^-F$/],
  [/^sftp$/, /^-b$/],
  [/^(?:node|tsx|ts-node|deno|bun)$/, /^(?:-r|--(?:require|import|loader|experimental-loader|preload|config))$/],
  [/^php$/, /^-f$/],
  [/sh$/, /^--(?:rcfile|init-file)$/],
];
/** Options whose value is a file with the names that a program works on. */
const LISTS: Options = [
  [/^(?:rsync|tar|xargs|parallel|wget|git)$/, /^--(?:files-from|arg-file|input-file|pathspec-from-file)$/],
  [/^tar$/, /^-T$/],
  [/^(?:xargs|parallel)$/, /^-a$/],
  [/^wget$/, /^-[a-zA-Z]*i$/],
];
/** Programs whose operands are files that decide what they do. */
const FOLLOWS_OPERANDS = /^ansible-playbook$/;

/**
 * The files that decide what a command does, relative to its starting folder: files that its words name, files that it
 * reads as input, files that decide what it runs or on what, and files that programs like `make` and `git` run by
 * default. An approval covers their content. Pure.
 */
export function boundFiles(command: string): readonly BoundFile[] {
  const reading = read(command);
  if ('verdict' in reading) return EVERYTHING;
  const found = new Map<string, BoundFile['use']>(namedPaths(command).map((path) => [path, 'names']));
  const folders = ['.', ...reading.commands.flatMap(foldersOf)];
  // The words may not show what runs, or which files it works on. The files that the text reads then decide: `rm $(cat
  // list)`.
  const isOpen =
    reading.gaps.length > 0 || reading.commands.some(({ words }) => words.some(({ text }) => text.includes(HOLE)));
  const readAs = reading.gaps.some(({ id }) => id === 'unresolved.piped-code') ? 'feeds' : 'decides';
  for (const path of isOpen ? pathsNamedBy(reading.commands, onlyReads) : []) found.set(path, readAs);
  for (const path of pathsNamedBy(onlyWith(LISTS, reading.commands), () => true)) found.set(path, 'decides');
  for (const path of pathsNamedBy(onlyWith(CODE, reading.commands), () => true)) found.set(path, 'runs');
  for (const each of reading.commands) {
    for (const { operator, target } of each.redirections) if (operator === '<') found.set(target.text, 'feeds');
    for (const path of runBy(each)) found.set(path, 'runs');
    const own = OF_THEMSELVES.find(([name]) => name.test(each.name))?.[1] ?? [];
    for (const folder of folders)
      for (const path of own) found.set(folder === '.' ? path : `${folder}/${path}`, 'runs');
  }
  const files = [...found].filter(([path]) => !path.includes(HOLE)).map(([path, use]) => ({ path, use }));
  const isMuch = files.length > FILES_MAX || encodeURIComponent(JSON.stringify(files)).length > CHARS_MAX;
  return isMuch ? EVERYTHING : files;
}

/**
 * Returns the fixed names of files that this program runs in its folder by default, limited to those that are worth
 * reading on a host.
 */
export function ownScripts(name: string): readonly string[] {
  if (/^g?make$/.test(name)) return ['GNUmakefile', 'makefile', 'Makefile'];
  const isCompose = /^(?:docker|podman)(?:-compose)?$/.test(name);
  return isCompose ? ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'] : [];
}

/** Returns the folders in which a command continues: `cd x`, `make -C x`. */
function foldersOf({ name, args }: Command): readonly string[] {
  if (name === 'cd' || name === 'pushd') return args.slice(0, 1);
  return args.flatMap((word, at) => (word === '-C' || word === '--prefix' ? (args[at + 1] ?? []) : []));
}

/** Returns the commands with only those words that are values of these options. */
function onlyWith(known: Options, commands: readonly Command[]): readonly Command[] {
  return commands.map((each) =>
    each.name === 'cd' || each.name === 'pushd' ? each : { ...each, args: valuesOf(known, each), redirections: [] },
  );
}

/** Returns the files with code or settings that the words of a command name: `-f other.mk`. */
export function codeFiles(command: Command): readonly string[] {
  return valuesOf(CODE, command);
}

function valuesOf(known: Options, { name, args }: Command): readonly string[] {
  const options = known.flatMap(([program, option]) => (program.test(name) ? [option] : []));
  const isOption = (word: string | undefined) => word !== undefined && options.some((option) => option.test(word));
  return args.flatMap((word, at) => {
    const [, option, value = ''] = /^(--[\w-]+)=(.+)$/s.exec(word) ?? [];
    if (isOption(option)) return [value];
    if (isOption(args[at - 1]) || (known === CODE && FOLLOWS_OPERANDS.test(name) && !word.startsWith('-')))
      return [word];
    return word.length > 2 && isOption(word.slice(0, 2)) ? [word.slice(2)] : [];
  });
}

/** Returns the scripts that a command runs. */
export function runBy({ name, path, args }: Command): readonly string[] {
  const values = TAKES_VALUE.flatMap(([program, option]) => (program.test(name) ? [option] : []));
  const operand = args.find((word, at) => {
    const before = args[at - 1] ?? '';
    const isNext = (name === 'deno' || name === 'bun') && RUNS_NEXT.test(word);
    return !/^[-+]/.test(word) && !isNext && !values.some((option) => option.test(before));
  });
  const isModule = args.includes('-m') && operand !== undefined;
  const script = SHELLS.has(name) || INTERPRETER.test(name) ? operand : undefined;
  return [
    ...(path.includes('/') ? [path] : []),
    ...(script === undefined ? [] : [script, ...(isModule ? [`${script.replaceAll('.', '/')}.py`] : [])]),
  ];
}
