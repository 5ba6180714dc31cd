import type { LabChange } from '@aish/contracts/lab';
import type { AnyFact, Probe, Snapshot } from './facts.js';

const MIB_IN_KB = 1_024;
/** The share by which a folder must grow to count as changed. */
const GROWTH = 0.1;
/** The lowest of the ports that the kernel assigns. They change with each program. */
export const EPHEMERAL = 32_768;

/**
 * Returns the part of a fact whose change matters, as a person reads it. Null if the fact does not count as present.
 */
const SHOWN: { readonly [P in Probe]?: (fact: Extract<AnyFact, { probe: P }>) => string | null } = {
  package: ({ values }) => values.version,
  unit: ({ values }) => values.state,
  container: ({ values }) => `${values.state}, ${values.image}, ${values.imageId.replace('sha256:', '').slice(0, 12)}`,
  port: ({ name, values }) => (Number(/\d+$/.exec(name)?.[0]) < EPHEMERAL ? values.process || 'open' : null),
  user: ({ values }) => `${values.shell} ${values.keys}`.trim(),
  cron: ({ values }) => values.line,
  mount: ({ values }) => `${values.source} (${values.type})`,
  size: ({ values }) => (values.kb === null ? null : `${Math.round(values.kb / MIB_IN_KB)} MiB`),
};
const COMPARED = Object.keys(SHOWN) as readonly (keyof typeof SHOWN)[];

/**
 * Returns what was added, removed or changed between two snapshots, of one host or of two. A probe that did not finish
 * in one of them is skipped, because a missing fact may still exist.
 */
export function whatChanged(older: Snapshot, newer: Snapshot): readonly LabChange[] {
  return COMPARED.flatMap((probe) => {
    const [old, now] = [older, newer].map(({ readings }) => readings.find((each) => each.probe === probe));
    if (old?.done !== true || now?.done !== true) return [];
    const before = shown(probe, old.facts);
    const after = shown(probe, now.facts);
    const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
    return names
      .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
      .filter((each) => each.before !== each.after && !(probe === 'size' && isAboutTheSame(each.before, each.after)))
      .map((each) => ({ host: newer.host, probe, ...each }));
  });
}

function shown(probe: Probe, facts: readonly AnyFact[]): ReadonlyMap<string, string> {
  const show = SHOWN[probe] as ((fact: AnyFact) => string | null) | undefined;
  return new Map(
    facts.flatMap((fact) => {
      const text = show?.(fact) ?? null;
      // A crontab line that moved is still the same line.
      if (text === null) return [];
      return [[probe === 'cron' ? `${fact.name.replace(/ \d+$/, '')}: ${text}` : fact.name, text] as const];
    }),
  );
}

function isAboutTheSame(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return false;
  const [a, b] = [Number.parseInt(before, 10), Number.parseInt(after, 10)];
  return Math.abs(a - b) <= Math.max(a, b) * GROWTH;
}
