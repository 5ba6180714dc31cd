import { read } from './classify.js';
import { hostAt } from './named-places.js';
import { isDestructiveWord } from './rules/destructive-words.js';
import { programOf } from './rules/programs.js';
import type { Vocabulary } from './rules/vocabulary.js';
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
 * Returns the things that a command of a program with subcommands is about, such as `web` in `ssh nas docker rm web` or
 * `tank/a` in `zfs destroy tank/a`.
 */
export function namedThings(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading) return [];
  return pathsNamedBy(reading.commands, ({ name }) => programOf(name)?.hasSubcommands === true);
}

/** Places below `.git` where git keeps a branch or a tag of this name. Hooks and settings are elsewhere. */
const REFS = ['refs/heads', 'refs/tags', 'refs/remotes/*', 'logs/refs/heads', 'logs/refs/remotes/*'] as const;

/**
 * Returns the paths whose changes a person approves with a command: those that it names, and for git the files of the
 * branches and tags that it names.
 */
export function pathsApprovedBy(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading) return [];
  const [named, byGit] = [pathsNamedBy(reading.commands, () => true), pathsNamedBy(reading.commands, isGit)];
  const folders = reading.commands.flatMap(({ name, args: [to = ''] }) =>
    name === 'cd' ? [`${normalized(to)}/`] : [],
  );
  const kept = byGit.flatMap((path) => {
    const folder = folders.findLast((each) => path.startsWith(each)) ?? '';
    const ref = path.slice(folder.length);
    return REF.test(ref) ? REFS.map((place) => `${folder}.git/${place}/${ref}`) : [];
  });
  return [...named, ...kept].slice(0, PATHS_MAX);
}

/** One branch or tag. A pattern names others, too, and `..` leads elsewhere. */
const REF = /^(?!.*\.\.)\w[\w./-]*$/;
const isGit = ({ name }: Command): boolean => name === 'git';

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
  // The words after the host are a command of their own.
  if (name === 'ssh') return [...args.slice(0, hostAt(args)).filter((word) => !word.startsWith('-')), ...written];
  // `cd` enters this folder but does not change it, so it is not a named path.
  if (name === 'cd' || name === 'pushd') return written;
  const operands = withoutVerbs(name, args).map((word) =>
    (/^(?:-[^=]*|[a-z]+)=(.+)$/s.exec(word)?.[1] ?? word).replace(/^@/, ''),
  );
  return [...operands.filter((word) => !word.startsWith('-')), ...written];
}

/** Options that name a folder or a file, and none of the program's own things. `-f` may also mean force. */
const PATH_OPTION = /^-[Cf]$|dir|path|tree|file|root/i;

/**
 * Returns the words of a program with subcommands without those that only say what to do: `rm` in `docker rm web`, and
 * `prod` in `-n prod`. Otherwise, all removals would be about the same thing.
 */
function withoutVerbs(name: string, args: readonly string[]): readonly string[] {
  const program = programOf(name);
  if (program?.hasSubcommands !== true) return args;
  const values = program.facts.values.split(' ').filter((option) => !PATH_OPTION.test(option));
  const isValue = (at: number) => values.includes(args[at - 1] ?? '');
  // A word after an unknown option may be its value, and a path.
  const operands = args.flatMap((word, at) => (word.startsWith('-') || args[at - 1]?.startsWith('-') ? [] : [at]));
  let node: Vocabulary | undefined = program.words;
  const verbs = operands.filter((at, n) => {
    const word = args[at] ?? '';
    const isVerb = n === 0 || node?.has(word) === true || (isDestructiveWord(word) && n < operands.length - 1);
    node = isVerb ? node?.get(word) : undefined;
    return isVerb && /^[\w-]+$/.test(word);
  });
  const said =
    name === 'git'
      ? [...verbs, remoteAt(args)]
      : program === programOf('kubectl')
        ? withKind(verbs, operands, args)
        : verbs;
  return args.filter((word, at) => !said.includes(at) && !(isValue(at) && /^[\w-]+$/.test(word)));
}

/** Adds the place of the kind of thing, such as `pod` in `kubectl delete pod web`. */
function withKind(verbs: readonly number[], operands: readonly number[], args: readonly string[]): readonly number[] {
  const [kind, name] = operands.filter((at) => !verbs.includes(at));
  const isKind = kind !== undefined && name !== undefined && /^[a-z]+$/.test(args[kind] ?? '');
  return isKind && !/^(?:exec|cp|debug|run|config|create)$/.test(args[verbs[0] ?? -1] ?? '') ? [...verbs, kind] : verbs;
}

/** Returns the place of the name of a remote repository in a `git push`, or -1. */
function remoteAt(args: readonly string[]): number {
  const push = args.indexOf('push');
  const at = args.findIndex((word, n) => n > push && !word.startsWith('-'));
  return push < 0 || !/^[\w-]+$/.test(args[at] ?? '') ? -1 : at;
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
