import { posix } from 'node:path';
import { refusalLine } from '@aish/contracts/held-line';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { classify, namedPlaces } from '@aish/safety';
import { PLACE_PREFIX, placesNamed, type RefusedElsewhere } from './refused-places.js';
import { attemptAt, attemptOf, pathsNamedIn, refusedBefore } from './refusals.js';

/** The maximum length of a text that counts as a name. A longer text may still contain one. */
const NAME_MAX_CHARS = 500;
/** Finds paths in longer texts, where a single `/` is not a path. */
const PATH = /(?<![\w:/.~*?-])[\w.~*?-]*\/[\w./~*?-]+/g;
/** Finds addresses that lead to files. Only their paths count. */
const FILE_ADDRESS = /\b(?!https?:)[a-z][\w+.-]*:\/\/[^/\s]*/gi;

/**
 * Returns the refusal that covers a tool call, or null. The call's arguments name a path, a host or a server where a
 * person refused something. Pure.
 */
export function refusedForCall(args: string, refusals: readonly SessionRefusal[]): RefusedElsewhere | null {
  if (refusals.length === 0) return null;
  const texts = textsIn(args);
  const all = texts.join('\n');
  const attempted = { action: all, paths: pathsNamedInCall(args, refusals) };
  const quote = refusedBefore(attempted, refusals);
  if (quote !== null) return { quote, attempt: attemptAt(attempted, refusals) };
  const found = refusals.findLast((refusal) => placesNamed(refusal).some((place) => isNamed(place, all)));
  return found === undefined ? null : { quote: refusalLine(found), attempt: 0 };
}

/**
 * Returns the paths that a person protects by refusing this call; null if it names neither a path nor a place, so that
 * no other action can be recognized as the same.
 */
export function pathsRefusedByCall(args: string): readonly string[] | null {
  const texts = textsIn(args);
  // The words of a sentence are not paths, but the words of a command are.
  const paths = texts.flatMap((text) => [...pathsIn(text), ...(isDestructive(text) ? pathsNamedIn(text) : [])]);
  return paths.length === 0 && texts.every((text) => namedPlaces(text).length === 0) ? null : [...new Set(paths)];
}

const isDestructive = (text: string): boolean => classify(text).verdict === 'destructive';

/** Returns the paths that the arguments of a call name, directly or inside a command or code. */
function pathsNamedInCall(args: string, refusals: readonly SessionRefusal[] = []): readonly string[] {
  const named = textsIn(args).flatMap((text) => [...pathsIn(text), ...attemptOf(text, undefined, refusals).paths]);
  return [...new Set(named)];
}

/** Returns the absolute paths in a text that contain a `/`. */
function pathsIn(text: string): readonly string[] {
  const found = Array.from(text.matchAll(PATH), ([path]) => posix.resolve('/workspace', path));
  return text === '/' ? [text, ...found] : found;
}

/** Returns the paths that a person allows by approving this call. */
export function pathsLiftedByCall(args: string): readonly string[] {
  const words = textsIn(args).filter((text) => /^(?!\.*$)[\w.-]+$/.test(text));
  return [...pathsNamedInCall(args), ...words.map((word) => posix.resolve('/workspace', word))];
}

/** Returns the places that a person allows by approving this call. */
export function placesLiftedByCall(args: string): readonly string[] {
  const named = textsIn(args).flatMap((text) => [...(isName(text) ? [text.toLowerCase()] : []), ...namedPlaces(text)]);
  return [...new Set(named)].map((place) => `${PLACE_PREFIX}${place}`);
}

function isName(text: string): boolean {
  return text.length <= NAME_MAX_CHARS && /^(?!\.?$)[^\s:]+$/.test(text);
}

function isNamed(place: string, text: string): boolean {
  const literal = place.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(^|[^\\w.-])${literal}($|[^\\w-])`, 'i').test(text);
}

/**
 * Returns the raw text, and the texts that a tool would read from it. Arguments that are not JSON never reach a tool.
 */
function textsIn(args: string): readonly string[] {
  try {
    const texts = stringsIn(JSON.parse(args));
    return [...new Set([...texts, ...texts.map((text) => unescaped(text.replaceAll(FILE_ADDRESS, ' ')).trim())])];
  } catch {
    return [];
  }
}

function unescaped(text: string): string {
  const decoded = text.replaceAll(/%([2-7][\da-f])/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return decoded.replaceAll('\\', '');
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(stringsIn)];
}
