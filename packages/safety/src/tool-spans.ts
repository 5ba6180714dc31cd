import type { Classification, Finding } from '@aish/contracts/safety';
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { Span } from './shell/source.js';

export type ArgumentPath = readonly (string | number)[];

/** Which argument of a call is guilty, and which part of its text. */
export interface Guilt {
  readonly path: ArgumentPath;
  /** In the value's text, UTF-16; all of it without one. */
  readonly inner?: Span | null;
  /** The name of the argument is part of it: `"force": true`. */
  readonly named?: true;
}

/** An answer about a call's arguments, before it is known where they stand in what a person sees. */
export interface Judged extends Classification {
  readonly guilt?: Guilt | undefined;
  /** What speaks against other arguments of the call. */
  readonly beside?: readonly Judged[] | undefined;
}

/** What else speaks against a call, each with its place in `shown`. */
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

/** Longest text that places are looked for in: past that the name of the tool is marked. */
const MAX_LENGTH = 65_536;

/**
 * The part of `shown` that is guilty. `shown` is the action as a person sees it: the name of the tool, a space, and its
 * arguments as JSON (`actionText` of contracts). Without an argument to blame it is the name.
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

/** Where each UTF-16 unit of a JSON string's value begins in its text: `\\n` and `\\u0041` are one unit. */
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
