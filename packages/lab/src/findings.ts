import type { AnyFact, Snapshot } from './facts.js';
import { hostFaults, type Fault } from './faults.js';
import { probeFaults } from './probe-faults.js';
import type { Rules } from './rules.js';

/** The state of a finding that no longer exists. */
const GONE = '';

/** The database row of an earlier finding. */
export interface KnownFinding {
  readonly id: string;
  readonly kind: string;
  readonly host: string;
  readonly name: string;
  /** The state that the fact had when it was last seen. */
  readonly state: string;
  readonly firstSeen: Date;
  /** The finding is muted while its fact has this state. Null if it is not muted by state. */
  readonly mutedState: string | null;
  readonly mutedUntil: Date | null;
}

export interface Finding extends KnownFinding {
  readonly sentence: string;
  readonly fact: AnyFact | null;
  readonly muted: boolean;
}

/** All stored snapshots of each host, oldest first. */
export type History = ReadonlyMap<string, readonly Snapshot[]>;

/**
 * Returns the current faults according to the newest snapshot of each host. The same fault on the same host keeps its
 * ID as long as it is known. A fault that disappeared and returned gets the same ID again, with a new first time.
 */
export function findings(
  history: History,
  known: readonly KnownFinding[],
  rules: Rules,
  now: Date,
): readonly Finding[] {
  const faults = [...history].flatMap(([, snapshots]) => {
    const newest = snapshots.at(-1);
    if (newest === undefined) return [];
    const before = snapshots.slice(0, -1);
    return newest.answered
      ? [...hostFaults(newest, before, rules), ...probeFaults(newest, before, rules)]
      : [silent(newest, before)];
  });
  const all = [...known];
  return faults
    .toSorted((a, b) => a.weight - b.weight || a.host.localeCompare(b.host) || a.name.localeCompare(b.name))
    .map((fault) => {
      const old = all.find(({ kind, host, name }) => kind === fault.kind && host === fault.host && name === fault.name);
      const entry = old === undefined ? begun(fault, all, now) : old.state === GONE ? { ...old, firstSeen: now } : old;
      if (old === undefined) all.push(entry);
      const { sentence, state, fact } = fault;
      return { ...entry, sentence, state, fact, muted: isMuted(entry, state, now) || isIgnored(entry, rules, now) };
    });
}

function silent({ host, detail }: Snapshot, before: readonly Snapshot[]): Fault {
  const seen = before
    .findLast(({ answered }) => answered)
    ?.at.toISOString()
    .slice(0, 16)
    .replace('T', ' ');
  const last = seen === undefined ? '' : `; it last responded at ${seen} UTC`;
  const why = detail === '' ? '' : ` (${detail})`;
  return {
    kind: 'host',
    host,
    name: host,
    weight: 0,
    state: 'silent',
    fact: null,
    sentence: `${host} does not respond${why}${last}`,
  };
}

function begun({ kind, host, name, state }: Fault, known: readonly KnownFinding[], now: Date): KnownFinding {
  const numbers = known.filter((each) => each.kind === kind && each.host === host).map(({ id }) => numberOf(id));
  const id = `${kind}-${host}-${Math.max(0, ...numbers) + 1}`;
  return { id, kind, host, name, state, firstSeen: now, mutedState: null, mutedUntil: null };
}

function numberOf(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}

function isMuted({ mutedState, mutedUntil }: KnownFinding, state: string, now: Date): boolean {
  return mutedState === state || (mutedUntil !== null && mutedUntil > now);
}

function isIgnored({ id, kind, host, name }: KnownFinding, { ignore }: Rules, now: Date): boolean {
  return ignore.some((rule) => {
    // The rule still applies on the last day itself.
    if (rule.until !== undefined && now.toISOString().slice(0, 10) > rule.until) return false;
    if ('finding' in rule) return rule.finding === id;
    return rule.kind === kind && (rule.host ?? host) === host && (rule.name ?? name) === name;
  });
}
