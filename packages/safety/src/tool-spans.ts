import type { Classification, Finding } from '@aish/contracts/safety';
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { Span } from './shell/source.js';

export type ArgumentPath = readonly (string | number)[];

/** The argument of a call that caused the verdict, and the part of its text that did. */
export interface Guilt {
  readonly path: ArgumentPath;
  /** The position in the value's text, in UTF-16 code units. If absent, the whole value caused the verdict. */
  readonly inner?: Span | null;
  /** Set if the name of the argument matters, too: `"force": true`. */
  readonly named?: true;
}

/** An answer about a call's arguments. Its position in the text for people is not known yet. */
export interface Judged extends Classification {
  readonly guilt?: Guilt | undefined;
  /** The objections to other arguments of the call. */
  readonly beside?: readonly Judged[] | undefined;
}

/** Returns the other objections to a call, each with its position in `shown`. */
export function othersInCall(shown: string, { others = [], beside = [], guilt, span }: Judged): readonly Finding[] {
  const inner = (of: Finding): Guilt | undefined =>
    guilt === undefined ? undefined : { ...guilt, inner: span === null ? null : of.span };
  const placed = others.map((other) => ({ ...other, span: spanInCall(shown, inner(other)) }));
  return [
    ...placed,
    ...beside.flatMap((judged) => {
      const { verdict, reason, ruleId } = judged;
      const itself =
        verdict === 'safe' || reason === null || ruleId === null
          ? []
          : [{ verdict, reason, ruleId, span: spanInCall(shown, judged.guilt) }];
      return [...itself, ...othersInCall(shown, judged)];
    }),
  ];
}

/** Maximum length of a text that is searched for positions. In a longer text, the name of the tool is marked. */
const MAX_LENGTH = 65_536;

/**
 * Returns the part of `shown` that caused the verdict. `shown` is the action as a person sees it: the name of the tool,
 * a space, and its arguments as JSON (`actionText` of contracts). If no argument caused the verdict, returns the name.
 */
export function spanInCall(shown: string, guilt: Guilt | undefined): [number, number] {
  const space = shown.indexOf(' ');
  const name: [number, number] = [0, space === -1 ? shown.length : space];
  if (guilt === undefined || space === -1 || shown.length > MAX_LENGTH) return name;
  const start = space + 1;
  const json = shown.slice(start);
  const tree = parseTree(json);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...guilt.path]);
  if (node === undefined) return name;
  const [from, to] = placeOf(json, node, guilt);
  return [start + from, start + to];
}

function placeOf(json: string, node: Node, { inner, named }: Guilt): Span {
  const { parent } = node;
  const whole = named === true && parent?.type === 'property' ? parent : node;
  if (whole.type !== 'string') return [whole.offset, whole.offset + whole.length];
  const begin = node.offset + 1;
  const end = node.offset + node.length - 1;
  if (inner === undefined || inner === null) return [begin, end];
  const places = characterPlaces(json, begin, end);
  const from = places[inner[0]] ?? begin;
  const to = places[inner[1]] ?? end;
  return from < to ? [from, to] : [begin, end];
}

/**
 * Returns the position in a JSON text of each UTF-16 code unit of a string's value: `\\n` and `\\u0041` are one unit
 * each.
 */
function characterPlaces(json: string, begin: number, end: number): readonly number[] {
  const places: number[] = [];
  for (let at = begin; at < end;) {
    places.push(at);
    if (json.charAt(at) !== '\\') at += 1;
    else at += json.charAt(at + 1) === 'u' ? 6 : 2;
  }
  places.push(end);
  return places;
}
