import type { Classification } from './safety.js';

/** A piece of an action, and whether a finding covers it. */
export interface MarkedPart {
  readonly text: string;
  readonly isGuilty: boolean;
}

/** Splits an action into pieces, with every finding marked. Together the pieces are the action. No piece is empty. */
export function markedParts(action: string, classification: Classification | null): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let end = 0;
  const add = (to: number, isGuilty: boolean): void => {
    if (to > end) parts.push({ text: action.slice(end, to), isGuilty });
    end = Math.max(end, to);
  };
  for (const [from, to] of placesOf(classification, action.length)) {
    add(from, false);
    add(to, true);
  }
  add(action.length, false);
  return parts;
}

function placesOf(classification: Classification | null, length: number): readonly (readonly [number, number])[] {
  if (classification === null || classification.verdict === 'safe') return [];
  return [classification, ...(classification.others ?? [])]
    .flatMap(({ span }) => (span === null || span[0] >= span[1] || span[1] > length ? [] : [span]))
    .toSorted((a, b) => a[0] - b[0]);
}

/**
 * Lists the further findings of an action beside its first reason, each once with its rule: `overwrites a disk
 * (disk.dd)`.
 */
export function otherReasons(classification: Classification | null): readonly string[] {
  if (classification === null) return [];
  const { reason, ruleId, others = [] } = classification;
  const withRule = (why: string | null, rule: string | null): string => `${why} (${rule})`;
  const all = new Set(others.map((other) => withRule(other.reason, other.ruleId)));
  all.delete(withRule(reason, ruleId));
  return [...all];
}
