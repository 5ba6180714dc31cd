import { posix } from 'node:path';
import { LAST_ASKED_ATTEMPT } from '@aish/contracts/decision-rules';
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

/** What is attempted: an action, and the paths that it names or has touched. */
export interface Attempted {
  readonly action: string;
  readonly paths: readonly string[];
}

/** What a command attempts: the paths that its words name, and refused ones that stand anywhere in it, as in code for a program. */
export function attemptOf(command: string, folder: string | undefined, refusals: readonly SessionRefusal[]): Attempted {
  const written = refusals.flatMap(({ paths }) => paths).filter((path) => isWritten(path, command));
  return { action: command, paths: [...pathsNamedIn(command, folder), ...written] };
}

function isWritten(path: string, command: string): boolean {
  const below = posix.relative(WORKSPACE, path);
  const name = below.startsWith('..') ? path : below;
  if (name === '' || name === '/' || !command.includes(name)) return false;
  const literal = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(^|[^\\w./-])(/workspace/|\\./)?${literal}($|[^\\w.-])`).test(command);
}

/**
 * Pure. Counts attempts at something that a person refused; 0 when the action is no such attempt. A refused attempt is
 * a refusal, too. Attempts at the same thing count together, even if they name different parts of it.
 */
export function attemptAt(attempted: Attempted, refusals: readonly SessionRefusal[]): number {
  const related = relatedTo(attempted, refusals);
  if (related.length === 0) return 0;
  return 1 + related.filter((each, n) => related.slice(0, n).some((earlier) => isSame(each, earlier))).length;
}

/** The refusals that something meets, and all that are about the same as one of these. */
function relatedTo({ action, paths }: Attempted, refusals: readonly SessionRefusal[]): readonly SessionRefusal[] {
  const found = new Set(refusals.filter((refusal) => isMet(refusal, action.trim(), paths)));
  for (const each of found) {
    for (const other of refusals) if (isSame(each, other)) found.add(other);
  }
  return refusals.filter((refusal) => found.has(refusal));
}

function isSame(one: SessionRefusal, other: SessionRefusal): boolean {
  return one.action === other.action || one.paths.some((path) => isBelow(path, other.paths));
}

/** Pure. How a question quotes what a person said to the same command before, or to what it names; null: nothing. */
export function refusedBefore({ action, paths }: Attempted, refusals: readonly SessionRefusal[]): string | null {
  const found = refusals.findLast((refusal) => isMet(refusal, action.trim(), paths));
  return found === undefined ? null : refusalLine(found);
}

/** Pure. What a person lets go by who proceeds: these paths; at the last question all that was refused of the same. */
export function pathsToLift(paths: readonly string[], refusals: readonly SessionRefusal[]): readonly string[] {
  if (attemptAt({ action: '', paths }, refusals) < LAST_ASKED_ATTEMPT) return paths;
  const related = relatedTo({ action: '', paths }, refusals);
  return [...new Set([...paths, ...related.flatMap((refusal) => refusal.paths)])];
}

/** A reason, as it follows a quote. */
export function asSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** What the last question says beside the quote. */
export function lastQuestionLine(attempt: number): string {
  return `This is attempt ${attempt}. If you refuse it, too, aish refuses every further attempt without asking you; if you allow it, it may go on with all of this`;
}

function isMet({ action, paths, lifted }: SessionRefusal, attempted: string, named: readonly string[]): boolean {
  const isLifted = (path: string) => lifted.some((each) => covers(each, path, fitsSurely));
  if (action === attempted && (paths.length === 0 || !paths.every(isLifted))) return true;
  return named.some((path) => isBelow(path, paths) && !isLifted(path));
}

function isBelow(path: string, paths: readonly string[]): boolean {
  return paths.some((each) => meet(path, each));
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
