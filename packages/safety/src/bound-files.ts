import type { BoundFile } from '@aish/contracts/surroundings';
import { read } from './classify.js';
import { namedPaths } from './named-paths.js';
import { HOLE, type Command } from './shell/command.js';
import { SHELLS } from './shell/shells.js';

const FILES_MAX = 200;
/** As they are asked for, in an address beside the names of variables. */
const CHARS_MAX = 2_500;
/** Where a text cannot be read to its end: all that lies where it begins. */
const EVERYTHING: readonly BoundFile[] = [{ path: '.', use: 'runs' }];

/** What programs run or read of themselves in the folder where they work, which their words do not name. */
const OF_THEMSELVES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^git$/, ['.git/hooks/*', '.git/config', '.gitattributes']],
  [/^(?:npm|npx|yarn|pnpm|bun)$/, ['package.json', '.npmrc']],
  [/^(?:docker|podman|docker-compose|podman-compose)$/, ['compose*.y*ml', 'docker-compose*.y*ml', '.env']],
];
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|Rscript|tsx|ts-node|source|\.)$/;

/**
 * The files that decide what a command does, from where it begins: those that its words name, that it is fed, and what
 * programs like `make` and `git` run of themselves. An approval is for their content. Pure.
 */
export function boundFiles(command: string): readonly BoundFile[] {
  const reading = read(command);
  if ('verdict' in reading) return EVERYTHING;
  const found = new Map<string, BoundFile['use']>(namedPaths(command).map((path) => [path, 'names']));
  const folders = ['.', ...reading.commands.flatMap(foldersOf)];
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

/** Folders in which a command goes on: `cd x`, `make -C x`. */
function foldersOf({ name, args }: Command): readonly string[] {
  if (name === 'cd' || name === 'pushd') return args.slice(0, 1);
  return args.flatMap((word, at) => (word === '-C' || word === '--prefix' ? (args[at + 1] ?? []) : []));
}

/** The scripts that a command runs. */
function runBy({ name, path, args }: Command): readonly string[] {
  const operand = args.find((word) => !word.startsWith('-'));
  const isModule = args.includes('-m') && operand !== undefined;
  const script = SHELLS.has(name) || INTERPRETER.test(name) ? operand : undefined;
  return [
    ...(path.includes('/') ? [path] : []),
    ...(script === undefined ? [] : [script, ...(isModule ? [`${script.replaceAll('.', '/')}.py`] : [])]),
  ];
}
