import { posix } from 'node:path';
import { refusalLine } from '@aish/contracts/held-line';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { namedPlaces } from '@aish/safety';
import { LIFTED, placesNamed } from './refused-places.js';
import { attemptOf, refusedBefore } from './refusals.js';

/** A longer text is no name. It may still contain one. */
const NAME_MAX_CHARS = 500;
/** In a longer text: `/` alone is no path there. */
const PATH = /(?<![\w:/.~*?-])[\w.~*?-]*\/[\w./~*?-]+/g;
/** Of an address that leads to files, the path counts. */
const FILE_ADDRESS = /\b(?!https?:)[a-z][\w+.-]*:\/\/[^/\s]*/gi;

/**
 * Why a person is asked about a tool call: its arguments name a path, a host or a server on which they refused something.
 * Null: nothing. Pure.
 */
export function refusedForCall(args: string, refusals: readonly SessionRefusal[]): string | null {
  if (refusals.length === 0) return null;
  const texts = textsIn(args);
  const all = texts.join('\n');
  const quote = refusedBefore({ action: all, paths: pathsNamedInCall(args, refusals) }, refusals);
  if (quote !== null) return quote;
  const found = refusals.findLast((refusal) => placesNamed(refusal).some((place) => isNamed(place, all)));
  return found === undefined ? null : refusalLine(found);
}

/** The paths that the arguments of a call name, as it is written, or in a command or code that they hold. */
function pathsNamedInCall(args: string, refusals: readonly SessionRefusal[] = []): readonly string[] {
  const named = textsIn(args).flatMap((text) => [
    ...(text === '/' ? [text] : []),
    ...Array.from(text.matchAll(PATH), ([path]) => posix.resolve('/workspace', path)),
    ...attemptOf(text, undefined, refusals).paths,
  ]);
  return [...new Set(named)];
}

/** The paths that a person lets go by who lets this call run. */
export function pathsLiftedByCall(args: string): readonly string[] {
  const words = textsIn(args).filter((text) => /^(?!\.*$)[\w.-]+$/.test(text));
  return [...pathsNamedInCall(args), ...words.map((word) => posix.resolve('/workspace', word))];
}

/** The places that a person lets go by who lets this call run. */
export function placesLiftedByCall(args: string): readonly string[] {
  const named = textsIn(args).flatMap((text) => [...(isName(text) ? [text.toLowerCase()] : []), ...namedPlaces(text)]);
  return [...new Set(named)].map((place) => `${LIFTED}${place}`);
}

function isName(text: string): boolean {
  return text.length <= NAME_MAX_CHARS && /^(?!\.?$)[^\s:]+$/.test(text);
}

function isNamed(place: string, text: string): boolean {
  const literal = place.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(^|[^\\w.-])${literal}($|[^\\w-])`, 'i').test(text);
}

/** As they are, and as a tool may read them. Arguments that are no JSON are never called with. */
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
