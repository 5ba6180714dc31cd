import { posix } from 'node:path';
import type { Held } from '@aish/contracts/effects';
import { refusalLine } from '@aish/contracts/held-line';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Refusal } from '@aish/contracts/runs';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { namedPaths } from '@aish/safety';

const WORKSPACE = '/workspace';
const WORDS_MAX_CHARS = 300;
const PATHS_MAX = 1_000;
/** Of all paths that one command is held against. */
const TOLD_MAX_CHARS = 64 * 1_024;

type HeldOutcome = RunOutcome & { readonly held: Held };

/** The paths that the words of a command name, absolute. @param folder where it begins. */
export function pathsNamedIn(command: string, folder: string = WORKSPACE): readonly string[] {
  return namedPaths(command).map((path) => posix.resolve(folder, path));
}

/**
 * What a person refuses who skips these changes: exactly those that their question listed. Where it could not list them
 * all, the folders that they lie in.
 */
export function pathsRefused({ held, effects }: HeldOutcome): readonly string[] {
  const { items = [], deleted, overwritten } = held;
  const listed = [
    ...items.map(({ path }) => path),
    ...(effects === undefined ? [] : [...effects.deleted.paths, ...effects.changed.paths]),
  ];
  const all = deleted.files + overwritten.files;
  const paths = all > listed.length ? [...listed, ...listed.map((path) => posix.dirname(path))] : listed;
  return [...new Set(paths.map((path) => posix.resolve(WORKSPACE, path)))].slice(0, PATHS_MAX);
}

/** What a person lets go by who keeps these changes. */
export function pathsLetBy({ held }: HeldOutcome): readonly string[] {
  const paths = (held.refused ?? []).flatMap((refused) => refused.paths);
  return [...new Set(paths.map((path) => posix.resolve(WORKSPACE, path)))];
}

/**
 * What the sandbox has to know of what was refused, in the order given. Of the oldest, where that is much, the folders in
 * place of the paths: they cover more, never less.
 */
export function refusalsToHold(refusals: readonly SessionRefusal[]): readonly Refusal[] {
  let room = TOLD_MAX_CHARS;
  const told = refusals.toReversed().map(({ step, words, paths, lifted }) => {
    const kept = folded(paths, room);
    const letBy = lifted.filter((each) => kept.some((path) => meet(path, each)));
    room -= charsOf(kept) + charsOf(letBy);
    // Fewer of these hold more.
    return {
      step,
      words: words === null ? null : words.slice(0, WORDS_MAX_CHARS),
      paths: [...kept],
      lifted: room < 0 ? [] : letBy,
    };
  });
  return told.toReversed().filter(({ paths }) => paths.length > 0);
}

function folded(paths: readonly string[], room: number): readonly string[] {
  let kept = paths;
  while (charsOf(kept) > Math.max(room, 0) && kept.some((path) => path.lastIndexOf('/') > 0)) {
    kept = [...new Set(kept.map((path) => (path.lastIndexOf('/') > 0 ? posix.dirname(path) : path)))];
  }
  return kept;
}

function charsOf(paths: readonly string[]): number {
  return paths.reduce((sum, { length }) => sum + length, 0);
}

/** Pure. How a question quotes what a person said to the same command before, or to what this one names; null: nothing. */
export function refusedBefore(
  command: string,
  folder: string | undefined,
  refusals: readonly SessionRefusal[],
): string | null {
  const named = pathsNamedIn(command, folder);
  const isAgain = ({ action, paths, lifted }: SessionRefusal): boolean =>
    action === command.trim() ||
    named.some(
      (path) => paths.some((refused) => meet(path, refused)) && !lifted.some((each) => covers(each, path, fitsSurely)),
    );
  const found = refusals.findLast(isAgain);
  return found === undefined ? null : refusalLine(found);
}

/** Whether one of two paths is the other, or lies below it. */
function meet(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

function covers(above: string, path: string, fits = mayFit): boolean {
  const names = path.split('/').filter((name) => name !== '');
  return above
    .split('/')
    .filter((name) => name !== '')
    .every((pattern, at) => fits(pattern, names[at]));
}

/** Names may be globs on either side: where that leaves open whether they meet, they do. */
function mayFit(pattern: string, name: string | undefined): boolean {
  return fitsSurely(pattern, name) || (name !== undefined && toPattern(name).test(pattern));
}

function fitsSurely(pattern: string, name: string | undefined): boolean {
  return name !== undefined && (pattern === name || toPattern(pattern).test(name));
}

function toPattern(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replaceAll(/\[[^\]]*\]?/g, '.');
  return new RegExp(`^${source}$`, 's');
}
