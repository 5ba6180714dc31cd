import { posix } from 'node:path';
import { LAST_ASKED_ATTEMPT, isLastQuestion } from '@aish/contracts/decision-rules';
import type { Held } from '@aish/contracts/effects';
import { refusalLine } from '@aish/contracts/held-line';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Refusal } from '@aish/contracts/runs';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { namedPaths } from '@aish/safety';

const WORKSPACE = '/workspace';
const WORDS_MAX_CHARS = 300;
const PATHS_MAX = 1_000;
/** Maximum characters of all paths that are sent with one command. */
const TOLD_MAX_CHARS = 64 * 1_024;

type HeldOutcome = RunOutcome & { readonly held: Held };

/**
 * Returns the absolute paths that the text of a command names.
 *
 * @param folder the folder where the command starts.
 */
export function pathsNamedIn(command: string, folder: string = WORKSPACE): readonly string[] {
  return namedPaths(command).map((path) => posix.resolve(folder, path));
}

/**
 * Returns the paths that a person refuses by skipping these changes: exactly the listed ones. If the question could not
 * list them all, returns their folders.
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

/** Returns the paths that a person allows by keeping these changes. */
export function pathsAllowedBy({ held }: HeldOutcome): readonly string[] {
  const paths = (held.refused ?? []).flatMap((refused) => refused.paths);
  return [...new Set(paths.map((path) => posix.resolve(WORKSPACE, path)))];
}

/**
 * Returns the refusals for the sandbox, in the given order. If there are many, the oldest are sent as folders instead
 * of paths, which cover more and never less.
 */
export function refusalsToHold(refusals: readonly SessionRefusal[]): readonly Refusal[] {
  let room = TOLD_MAX_CHARS;
  const shortened = refusals.toReversed().map(({ step, words, paths, lifted }) => {
    const kept = folded(paths, room);
    const letBy = lifted.filter((each) => kept.some((path) => overlap(path, each)));
    room -= charsOf(kept) + charsOf(letBy);
    // If fewer paths are lifted, more changes are held.
    return {
      step,
      words: words === null ? null : words.slice(0, WORDS_MAX_CHARS),
      paths: [...kept],
      lifted: room < 0 ? [] : letBy,
    };
  });
  return shortened.toReversed().filter(({ paths }) => paths.length > 0);
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

/** An attempted action, and the paths that it names or has changed. */
export interface Attempted {
  readonly action: string;
  readonly paths: readonly string[];
}

/**
 * Describes what a command attempts: the paths that its text names, and refused paths anywhere in the text, for example
 * in code for a program.
 */
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
 * Counts attempts at something that a person refused; 0 if the action is not such an attempt. A refused attempt is a
 * refusal, too. Attempts at the same thing count together, even if they name different parts of it. Pure.
 */
export function attemptAt(attempted: Attempted, refusals: readonly SessionRefusal[]): number {
  const related = relatedTo(attempted, refusals);
  if (related.length === 0) return 0;
  return 1 + related.filter((each, n) => related.slice(0, n).some((earlier) => isSame(each, earlier))).length;
}

/** Returns the refusals that an attempt conflicts with, and all refusals related to them. */
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

/**
 * Returns the quote for a question: what a person said about the same command, or about something that it names. Null
 * if there is nothing to quote. Pure.
 */
export function refusedBefore({ action, paths }: Attempted, refusals: readonly SessionRefusal[]): string | null {
  const found = refusals.findLast((refusal) => isMet(refusal, action.trim(), paths));
  return found === undefined ? null : refusalLine(found);
}

/**
 * Returns the paths that a `proceed` allows: these, and at the last question everything refused about the same thing.
 * Pure.
 */
export function pathsToLift(paths: readonly string[], refusals: readonly SessionRefusal[]): readonly string[] {
  if (attemptAt({ action: '', paths }, refusals) < LAST_ASKED_ATTEMPT) return paths;
  const related = relatedTo({ action: '', paths }, refusals);
  return [...new Set([...paths, ...related.flatMap((refusal) => refusal.paths)])];
}

/**
 * The question about an attempt at something refused before: the quote, the reason, and at the last question what a
 * verdict on it decides.
 *
 * @param attempt the number of this attempt; 0 if it does not count as one.
 */
export function refusedBeforeQuestion(
  quote: string,
  attempt: number,
  reason: string | null,
): { readonly confirm: string; readonly attempt?: number } {
  const question = reason === null ? quote : `${quote} ${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  if (!isLastQuestion({ attempt })) return { confirm: question, ...(attempt > 0 && { attempt }) };
  return { confirm: `${question.replace(/[^.]$/, '$&.')} ${lastQuestionLine(attempt)}`, attempt };
}

/** Returns the sentence that the last question adds to the quote. */
export function lastQuestionLine(attempt: number): string {
  return `This is attempt ${attempt}. If you refuse it, too, aish refuses every further attempt without asking you; if you allow it, it may continue with all of this`;
}

function isMet({ action, paths, lifted }: SessionRefusal, attempted: string, named: readonly string[]): boolean {
  const isLifted = (path: string) => lifted.some((each) => covers(each, path, fitsSurely));
  if (action === attempted && (paths.length === 0 || !paths.every(isLifted))) return true;
  return named.some((path) => isBelow(path, paths) && !isLifted(path));
}

function isBelow(path: string, paths: readonly string[]): boolean {
  return paths.some((each) => overlap(path, each));
}

/** Whether two paths are equal or one is inside the other. */
export function overlap(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

function covers(above: string, path: string, fits = mayFit): boolean {
  const names = path.split('/').filter((name) => name !== '');
  return above
    .split('/')
    .filter((name) => name !== '')
    .every((pattern, at) => fits(pattern, names[at]));
}

/** Whether two names may match. Either may be a glob. In doubt, they count as matching. */
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
