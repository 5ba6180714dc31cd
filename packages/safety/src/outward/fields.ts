import { readBlockYaml } from './block-yaml.js';
import { readLiterals, type Value } from './literals.js';

/** A value that a service printed in one piece. */
export interface Piece {
  readonly text: string;
  /** The name of its field; null for an entry of a list that has no name. */
  readonly key: string | null;
  readonly isOfMessage: boolean;
  /** Whether its record also contains what somebody wrote, such as the body of an issue. */
  readonly isBesideProse: boolean;
}

/** A record inside another one, with the fields that contain a single text. */
export interface Entry {
  /** The name of its field: `{'Blue Shirt': {'id': 'A18'}}`. */
  readonly name: string | null;
  readonly fields: ReadonlyMap<string, string>;
}

const LENGTH_MAX = 500_000;
const SENDER = /^(from|sender|reply[-_ ]?to|author|signed|sent[-_ ]?by|posted[-_ ]?by)$/i;

/** Fields for what somebody wrote. It may look like a record. */
const PROSE = /^(body|content|contents|comment|snippet|html)$/i;

/** Whether the name of a field says that somebody sent the record. */
export const isSender = (key: string): boolean => SENDER.test(key.trim());

/**
 * Returns the fields of a text that is a record as a whole: JSON, a value as Python prints it, or YAML. A text that is
 * only similar to one is a single piece, because its author may have written what looks like a field. Pure.
 */
export function piecesOf(text: string): { readonly isRecord: boolean; readonly pieces: readonly Piece[] } {
  const values = valuesOf(text);
  return values === null
    ? { isRecord: false, pieces: [{ text, ...NO_RECORD }] }
    : { isRecord: true, pieces: values.flatMap((value) => piecesIn(value, NO_RECORD)) };
}

/** Returns the records of a text, with all that are inside others. None if the text as a whole is no record. Pure. */
export function entriesOf(text: string): readonly Entry[] {
  return (valuesOf(text) ?? []).flatMap((value) => entriesIn(value, null));
}

function entriesIn(value: Value, name: string | null): readonly Entry[] {
  if (typeof value === 'string') return [];
  if (!(value instanceof Map)) return [...value.values()].flatMap((each) => entriesIn(each, name));
  const single = [...value].flatMap(([key, each]) => (typeof each === 'string' ? [[key, each] as const] : []));
  return [{ name, fields: new Map(single) }, ...[...value].flatMap(([key, each]) => entriesIn(each, key))];
}

function valuesOf(text: string): readonly Value[] | null {
  if (text.length > LENGTH_MAX) return null;
  const block = readLiterals(text) ?? readBlockYaml(text);
  return block === null ? null : Array.isArray(block) ? block : [block];
}

type Place = Omit<Piece, 'text'>;
const NO_RECORD: Place = { key: null, isOfMessage: false, isBesideProse: false };

function piecesIn(value: Value, place: Place): readonly Piece[] {
  if (typeof value === 'string') {
    // A service may print a list as a text: `"['a', 'b']"`.
    const inner = /^\s*[[{]/.test(value) && !PROSE.test(place.key ?? '') ? readLiterals(value) : null;
    return inner === null ? [{ text: value, ...place }] : inner.flatMap((each) => piecesIn(each, place));
  }
  if (!(value instanceof Map)) return [...value.values()].flatMap((each) => piecesIn(each, place));
  const isOfMessage = place.isOfMessage || [...value.keys()].some(isSender);
  const isBesideProse =
    place.isBesideProse || [...value].some(([key, each]) => typeof each === 'string' && PROSE.test(key));
  const inside = { isOfMessage, isBesideProse };
  return [...value].flatMap(([name, each]) => [
    { text: name, key: place.key, ...inside },
    ...piecesIn(each, { key: name, ...inside }),
  ]);
}
