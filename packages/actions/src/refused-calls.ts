import { posix } from 'node:path';
import { refusalLine } from '@aish/contracts/held-line';
import type { SessionRefusal } from '@aish/database/refusals.repository';
import { namedPlaces } from '@aish/safety';
import { LIFTED, placesNamed } from './refused-places.js';
import { attemptOf, refusedBefore } from './refusals.js';

/** A longer text is no name. It may still contain one. */
const NAME_MAX_CHARS = 500;

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
export function pathsNamedInCall(args: string, refusals: readonly SessionRefusal[] = []): readonly string[] {
  const named = textsIn(args).flatMap((text) => [
    ...(isName(text) ? [posix.resolve('/workspace', text.replace(/^file:\/\//, ''))] : []),
    ...attemptOf(text, undefined, refusals).paths,
  ]);
  return [...new Set(named)];
}

/** The places that a person lets go by who lets this call run. */
export function placesLiftedByCall(args: string): readonly string[] {
  const named = textsIn(args).flatMap((text) => [...(isName(text) ? [text.toLowerCase()] : []), ...namedPlaces(text)]);
  return [...new Set(named)].map((place) => `${LIFTED}${place}`);
}

function isName(text: string): boolean {
  return text.length <= NAME_MAX_CHARS && /^(?:file:\/\/)?(?!\.?$)[^\s:]+$/.test(text);
}

function isNamed(place: string, text: string): boolean {
  const literal = place.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(^|[^\\w.-])${literal}($|[^\\w-])`, 'i').test(text);
}

/** Arguments that are no JSON are never called with. */
function textsIn(args: string): readonly string[] {
  try {
    return stringsIn(JSON.parse(args));
  } catch {
    return [];
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
