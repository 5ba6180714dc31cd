import { read } from './classify.js';
import { isSink } from './rules/paths.js';
import { HOLE, NEW, type Command } from './shell/command.js';

const PATHS_MAX = 1_000;
const PATH_MAX_CHARS = 4_096;
/** Programs that change the operand `.`. For all other programs, it only names the folder to work in. */
const CHANGES_ITS_FOLDER: ReadonlySet<string> = new Set(['rm', 'find', 'mv', 'chmod', 'chown', 'chgrp']);

/**
 * Returns the paths that the words of a command name, as written. Links are not followed and nothing is looked up. The
 * paths are relative to the folder where the command starts, even after a `cd`. Names may be globs. A path that is
 * known only when the command runs is not in the list, because an approval covers only the text that the person could
 * read.
 */
export function namedPaths(command: string): readonly string[] {
  const reading = read(command);
  return 'verdict' in reading ? [] : pathsNamedBy(reading.commands, () => true);
}

/**
 * Like `namedPaths`, but only for those commands of a text that `isOne` selects. The other commands can still change
 * the folder.
 */
export function pathsNamedBy(commands: readonly Command[], isOne: (command: Command) => boolean): readonly string[] {
  const named = new Set<string>();
  let folder: string | null = '.';
  for (const each of commands) {
    for (const word of isOne(each) ? wordsOf(each) : []) {
      const path = named.size < PATHS_MAX ? pathFrom(folder, word) : null;
      if (path !== null && (!isAbove(path) || CHANGES_ITS_FOLDER.has(each.name))) named.add(path);
    }
    if (each.name === 'cd' || each.name === 'pushd') folder = entered(folder, each.args);
  }
  return [...named];
}

function wordsOf({ name, args, redirections }: Command): readonly string[] {
  const written = redirections.map(({ target }) => target.text);
  // `cd` enters this folder but does not change it, so it is not a named path.
  if (name === 'cd' || name === 'pushd') return written;
  const operands = args.map((word) => (/^(?:-[^=]*|[a-z]+)=(.+)$/s.exec(word)?.[1] ?? word).replace(/^@/, ''));
  return [...operands.filter((word) => !word.startsWith('-')), ...written];
}

/** Returns the folder after a `cd`, or null if the words do not show it. */
function entered(folder: string | null, args: readonly string[]): string | null {
  const [to, ...more] = args.filter((word) => word !== '--');
  return to === undefined || to === '-' || more.length > 0 ? null : pathFrom(folder, to);
}

function pathFrom(folder: string | null, word: string): string | null {
  const isText = word.length > PATH_MAX_CHARS || /[\0\n]|:\/\//.test(word);
  if (word === '' || isText || /^[~$]/.test(word) || word.includes(HOLE) || word.includes(NEW) || isSink(word))
    return null;
  if (word.startsWith('/')) return normalized(word);
  return folder === null ? null : normalized(`${folder}/${word}`);
}

/**
 * Returns the path without `.`, empty names and the names that `..` removes, as POSIX resolves a path without links.
 */
export function normalized(path: string): string {
  const kept: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (name !== '..' || !path.startsWith('/')) kept.push(name);
  }
  const text = `${path.startsWith('/') ? '/' : ''}${kept.join('/')}`;
  return (text === '' ? '.' : text) + (path.endsWith('/') && kept.length > 0 ? '/' : '');
}

/** Whether the path is the folder that a command works in, or one above it. */
function isAbove(path: string): boolean {
  return /^(?:\.\.\/)*\.{0,2}\/?$/.test(path) || path === '/' || path.replace(/\/$/, '') === '/workspace';
}
