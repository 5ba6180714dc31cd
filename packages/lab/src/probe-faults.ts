import { plural } from '@aish/contracts/plural';
import { factsOf, type AnyFact, type FactOf, type Probe, type Snapshot } from './facts.js';
import type { Fault } from './faults.js';
import type { Rules } from './rules.js';

const DAY_MS = 86_400_000;
const WORDS_MAX_CHARS = 120;

/** A fault without the fields that all faults of its probe share. */
type Found = Pick<Fault, 'weight' | 'state' | 'sentence'> & { readonly kind?: string };

interface Look {
  readonly host: string;
  readonly now: Date;
  readonly limits: Rules['thresholds'];
  readonly snapshot: Snapshot;
  /** The previous snapshot, if the host answered then. */
  readonly previous: Snapshot | undefined;
}

type RulesOfProbes = { readonly [P in Probe]?: (fact: FactOf<P>, look: Look) => Found | null };

const RULES: RulesOfProbes = {
  unit: ({ name, values: { state } }, { host }) =>
    state === 'failed' ? { weight: 1, state, sentence: `${name} on ${host} has failed` } : null,
  container: containerFault,
  image: ({ name, values }, { host, now, limits }) => {
    const days = daysSince(values.created, now);
    return days !== null && days > limits.imageDays
      ? { weight: 6, state: 'old', sentence: `the image ${name} on ${host} is ${plural(days, 'day')} old` }
      : null;
  },
  backup: backupFault,
  certificate: ({ name, values: { ends, readable } }, { host, now, limits }) => {
    const days = readable === 1 ? daysUntil(ends, now) : null;
    if (days === null)
      return { weight: 2, state: 'unread', sentence: `aish cannot read the certificate of ${name} on ${host}` };
    if (days > limits.certificateDays) return null;
    const sentence = days < 0 ? 'has expired' : `expires in ${plural(days, 'day')}`;
    return {
      weight: days < 3 ? 1 : 2,
      state: `${days < 0 ? 'expired' : 'soon'} ${ends}`,
      sentence: `the certificate of ${name} on ${host} ${sentence}`,
    };
  },
  update: ({ values: { pending, security } }, { host, limits }) => {
    if ((security ?? 0) >= limits.securityUpdates) {
      return {
        weight: 4,
        state: 'security',
        sentence: `${host} has ${plural(security ?? 0, 'security update')} to install`,
      };
    }
    return pending >= limits.updates
      ? { weight: 6, state: 'many', sentence: `${host} has ${plural(pending, 'update')} to install` }
      : null;
  },
  smart: ({ name, values: { passed, moved, pending, heat, worn, failing } }, { host, limits }) => {
    const bad = `${passed} ${moved ?? 0} ${pending ?? 0}`;
    if (passed === 0)
      return { weight: 0, state: bad, sentence: `the disk ${name} on ${host} fails its own test: replace it` };
    if (failing !== '')
      return {
        weight: 1,
        state: failing,
        sentence: `the disk ${name} on ${host} is past its maker's limit for ${failing.replaceAll(' ', ', ')}`,
      };
    if ((pending ?? 0) > 0)
      return {
        weight: 1,
        state: bad,
        sentence: `the disk ${name} on ${host} has ${plural(pending ?? 0, 'unreadable block')}`,
      };
    if ((moved ?? 0) > 0)
      return {
        weight: 2,
        state: bad,
        sentence: `the disk ${name} on ${host} has replaced ${plural(moved ?? 0, 'bad sector')}`,
      };
    if ((worn ?? 0) >= limits.diskWorn)
      return { weight: 3, state: 'worn', sentence: `the disk ${name} on ${host} has used ${worn} % of its life` };
    return (heat ?? 0) >= limits.diskHeat
      ? { weight: 3, state: 'hot', sentence: `the disk ${name} on ${host} is at ${heat} °C` }
      : null;
  },
  raid: ({ name, values: { state, disks, degraded, work } }, { host }) => {
    if (degraded !== 1 && state === 'active') return null;
    const doing = work === '' ? '' : `; ${work} runs`;
    const sentence =
      state === 'active' ? `degraded: ${disks}${doing}` : `${state || 'in an unknown state'}: it is not running`;
    return { weight: 0, state: `${state} ${disks}`, sentence: `the RAID ${name} on ${host} is ${sentence}` };
  },
  pool: ({ name, values: { health, full } }, { host, limits }) => {
    if (health !== 'ONLINE') return { weight: 0, state: health, sentence: `the pool ${name} on ${host} is ${health}` };
    return (full ?? 0) >= limits.pool
      ? { weight: 2, state: 'full', sentence: `the pool ${name} on ${host} is ${full} % full` }
      : null;
  },
  clock: ({ values: { synced } }, { host, previous }) => {
    const before = previous === undefined ? [] : factsOf(previous, 'clock');
    // Synchronization takes a while after a start.
    return synced === 0 && before[0]?.values.synced === 0
      ? { kind: 'timesync', weight: 4, state: 'unsynced', sentence: `the clock of ${host} is not synchronized` }
      : null;
  },
  login: ({ values: { failed } }, { host, limits }) =>
    failed >= limits.failedLogins
      ? {
          weight: 4,
          state: `${Math.floor(Math.log10(failed))}`,
          sentence: `${plural(failed, 'sign-in')} to ${host} failed in a day`,
        }
      : null,
  oom: ({ values: { kills, last } }, { host, snapshot, previous }) => {
    const before = previous === undefined ? [] : factsOf(previous, 'oom');
    const old = previous !== undefined && hasRestarted(previous, snapshot) ? 0 : (before[0]?.values.kills ?? kills);
    const killed = last === '' ? '' : `, ${last} last`;
    return kills > old
      ? {
          weight: 1,
          state: `${kills}`,
          sentence: `${host} ran out of memory and killed ${plural(kills - old, 'process', 'processes')}${killed}`,
        }
      : null;
  },
};

function containerFault(fact: FactOf<'container'>, { host, previous, limits }: Look): Found | null {
  const { name, values } = fact;
  const { state, health, code, restarts, policy } = values;
  if (health === 'unhealthy')
    return { weight: 1, state: health, sentence: `the container ${name} on ${host} is unhealthy` };
  if (state === 'restarting' || state === 'dead') {
    return {
      weight: 1,
      state,
      sentence: `the container ${name} on ${host} is ${state}, with exit code ${code ?? 'unknown'}`,
    };
  }
  // A person may stop a container that has no restart policy. A stop ends with 137 or 143.
  const wasStopped = code === 0 || code === 137 || code === 143;
  if (state === 'exited' && policy !== '' && policy !== 'no' && !(wasStopped && policy !== 'always')) {
    return {
      weight: 1,
      state,
      sentence: `the container ${name} on ${host} has ended with exit code ${code ?? 'unknown'}`,
    };
  }
  const before = previous && factsOf(previous, 'container').find((each) => each.name === name)?.values;
  const more = before === undefined || before.started === '' ? 0 : (restarts ?? 0) - (before.restarts ?? 0);
  return more >= limits.restarts
    ? {
        weight: 2,
        state: `${restarts}`,
        sentence: `the container ${name} on ${host} has restarted ${plural(more, 'time')} since the last check`,
      }
    : null;
}

function backupFault({ name, values }: FactOf<'backup'>, { host, now, limits }: Look): Found | null {
  const { tool, readable, newest, bytes, median, time, files } = values;
  if (readable !== 1)
    return { weight: 1, state: 'unread', sentence: `aish cannot read the backups in ${name} on ${host}` };
  if (tool === 'folder' && (files ?? 0) === 0)
    return { weight: 1, state: 'none', sentence: `there is no backup in ${name} on ${host}` };
  const at = newest === null ? time : new Date(newest * 1_000).toISOString();
  const days = daysSince(at, now);
  if (days === null)
    return { weight: 1, state: 'unread', sentence: `aish cannot tell how old the backups in ${name} on ${host} are` };
  if (days >= limits.backupDays)
    return {
      weight: 1,
      state: `old ${at}`,
      sentence: `the newest backup in ${name} on ${host} is ${plural(days, 'day')} old`,
    };
  if (bytes === null || median === null || median === 0) {
    return bytes === 0
      ? { weight: 1, state: 'empty', sentence: `the newest backup in ${name} on ${host} is empty` }
      : null;
  }
  const part = Math.floor((bytes / median) * 100);
  return part < limits.backupSize
    ? {
        weight: 1,
        state: `small ${at}`,
        sentence: `the newest backup in ${name} on ${host} is ${part} % of the usual size`,
      }
    : null;
}

export function probeFaults(snapshot: Snapshot, before: readonly Snapshot[], rules: Rules): readonly Fault[] {
  const previous = before.at(-1)?.answered === true ? before.at(-1) : before.findLast(({ answered }) => answered);
  const look = { host: snapshot.host, now: snapshot.at, limits: rules.thresholds, snapshot, previous };
  return snapshot.readings.flatMap(({ facts }) =>
    facts.flatMap((fact) => {
      const found = findFault(fact, look);
      if (found === null) return [];
      return [{ kind: fact.probe, host: snapshot.host, name: fact.name.slice(0, WORDS_MAX_CHARS), fact, ...found }];
    }),
  );
}

function findFault(fact: AnyFact, look: Look): Found | null {
  // Each rule is stored under the probe whose facts it takes.
  const rule = RULES[fact.probe] as ((fact: AnyFact, look: Look) => Found | null) | undefined;
  return rule?.(fact, look) ?? null;
}

function hasRestarted(before: Snapshot, after: Snapshot): boolean {
  const [old, now] = [before, after].map((each) => factsOf(each, 'system')[0]?.values);
  return old !== undefined && now !== undefined && now.uptime < now.now - old.now;
}

function daysSince(iso: string, now: Date): number | null {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? null : Math.floor((now.getTime() - at) / DAY_MS);
}

function daysUntil(iso: string, now: Date): number | null {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? null : Math.floor((at - now.getTime()) / DAY_MS);
}
