import { plural } from '@aish/contracts/plural';
import { factsOf, type AnyFact, type FactOf, type Snapshot } from './facts.js';
import { daysUntilFull } from './full-in-days.js';
import type { Rules } from './rules.js';

/** A rule's objection to a fact. */
export interface Fault {
  readonly kind: string;
  readonly host: string;
  /** The name of the thing, for example a file system or a unit. */
  readonly name: string;
  /** The most urgent fault has weight 0. */
  readonly weight: number;
  /** The part of the fact that matters. A muted finding is shown again when this part changes. */
  readonly state: string;
  readonly sentence: string;
  readonly fact: AnyFact | null;
}

const MS = 1_000;
/** Seconds after its start in which a host is still busy with starting. */
const SETTLED_S = 600;

/** Returns the faults of a host as a whole, and of its disks. */
export function hostFaults(snapshot: Snapshot, before: readonly Snapshot[], rules: Rules): readonly Fault[] {
  return [
    ...factsOf(snapshot, 'system').flatMap((fact) => systemFaults(snapshot, before, fact, rules)),
    ...factsOf(snapshot, 'disk').flatMap((fact) => diskFaults(snapshot, before, fact, rules)),
    ...nonsense(snapshot),
  ];
}

function nonsense({ host, readings }: Snapshot): readonly Fault[] {
  return readings
    .filter(({ nonsense: lines, probe }) => lines > 0 && probe !== 'system')
    .map(({ probe }) => ({
      kind: 'probe',
      host,
      name: probe,
      weight: 4,
      state: 'nonsense',
      fact: null,
      sentence: `the probe ${probe} on ${host} returned unreadable data, so aish cannot check it`,
    }));
}

function systemFaults(
  { host, at }: Snapshot,
  before: readonly Snapshot[],
  fact: FactOf<'system'>,
  { thresholds }: Rules,
): readonly Fault[] {
  const { MemTotal, MemAvailable, SwapTotal, SwapFree, load, cpus, reboot, now, uptime } = fact.values;
  const base = { host, name: 'system', fact };
  const faults: Fault[] = [];
  const memory = share(MemTotal, MemAvailable);
  if (memory !== null && memory >= thresholds.memory) {
    faults.push({
      ...base,
      kind: 'memory',
      weight: 2,
      state: 'high',
      sentence: `${host} uses ${memory} % of its memory`,
    });
  }
  const swap = share(SwapTotal, SwapFree);
  if (swap !== null && swap >= thresholds.swap) {
    faults.push({ ...base, kind: 'swap', weight: 3, state: 'high', sentence: `${host} uses ${swap} % of its swap` });
  }
  const [previous] = before.slice(-1).flatMap((each) => factsOf(each, 'system'));
  const limit = thresholds.load * (cpus ?? 1);
  // One busy moment is not a fault. The same load in two checks is.
  if (load !== null && load > limit && uptime > SETTLED_S && (previous?.values.load ?? 0) > limit) {
    faults.push({
      ...base,
      kind: 'load',
      weight: 3,
      state: 'high',
      sentence: `the load of ${host} is ${load}, with ${cpus ?? 1} processors`,
    });
  }
  if (reboot === 1) {
    faults.push({
      ...base,
      kind: 'reboot',
      weight: 5,
      state: fact.values.kernel,
      sentence: `${host} needs a reboot after updates`,
    });
  }
  const off = Math.round(Math.abs(now - at.getTime() / MS));
  if (off > thresholds.clockSeconds) {
    faults.push({ ...base, kind: 'clock', weight: 3, state: 'off', sentence: `the clock of ${host} is ${off} s off` });
  }
  return faults;
}

function diskFaults(
  { host, at }: Snapshot,
  before: readonly Snapshot[],
  fact: FactOf<'disk'>,
  { thresholds }: Rules,
): readonly Fault[] {
  const { kb, used, free, inodes, inodesFree, answers } = fact.values;
  const { name } = fact;
  const base = { host, name, fact };
  if (answers === 0) {
    return [
      {
        ...base,
        kind: 'mount',
        weight: 1,
        state: 'hangs',
        sentence: `${name} on ${host} does not respond: its server may be down`,
      },
    ];
  }
  const faults: Fault[] = [];
  // Other users cannot use the space that is reserved for root.
  const full = used === null || free === null ? null : share(used + free, free);
  if (full !== null && full >= thresholds.disk) {
    faults.push({
      ...base,
      kind: 'disk',
      weight: 1,
      state: full >= 98 ? 'full' : 'high',
      sentence: `${name} on ${host} is ${full} % full`,
    });
  } else if (kb !== null && used !== null && free !== null) {
    const days = daysUntilFull([...pastUse(before, name), { at, used }], kb, free);
    if (days !== null && days <= thresholds.fullInDays) {
      faults.push({
        ...base,
        kind: 'disk',
        weight: 2,
        state: 'filling',
        sentence: `${name} on ${host} is ${full} % full, and full in ${plural(days, 'day')}`,
      });
    }
  }
  const names = share(inodes, inodesFree);
  if (names !== null && names >= thresholds.inodes) {
    faults.push({
      ...base,
      kind: 'inodes',
      weight: 1,
      state: 'high',
      sentence: `${name} on ${host} has used ${names} % of its inodes`,
    });
  }
  return faults;
}

function pastUse(before: readonly Snapshot[], name: string) {
  return before.flatMap((snapshot) =>
    factsOf(snapshot, 'disk')
      .filter((fact) => fact.name === name)
      .flatMap(({ values: { used } }) => (used === null ? [] : [{ at: snapshot.at, used }])),
  );
}

/** Returns the percentage in use. Null if there is nothing to use, because btrfs has no inodes. */
function share(total: number | null, free: number | null): number | null {
  if (total === null || free === null || total <= 0) return null;
  return Math.floor(((total - Math.min(free, total)) / total) * 100);
}
