import { factsOf, type FactOf, type Probe, type Reading, type Snapshot } from './facts.js';
import { EPHEMERAL } from './what-changed.js';

export const INVENTORY_PROBES: readonly Probe[] = ['system', 'unit', 'container', 'port', 'disk', 'mount', 'backup'];

/** The maximum number of items for one list of one host, because a model reads 16 000 characters of a page. */
const NAMED_MAX = 40;
const NAME_MAX_CHARS = 120;
const KB_PER_GIB = 1_048_576;
/** Units that run on every Debian, so they say nothing about this host. */
const COMMON_UNIT =
  /^(systemd-|getty@|serial-getty@|user-runtime-dir@|dbus|kmod-static|console-|keyboard-|ifupdown-|e2scrub|apt-)/;
/** File systems whose size depends on the other file systems of the pool, so it differs every day. */
const SHARED_SIZE = new Set(['zfs', 'btrfs']);

/** A host and all its stored snapshots, oldest first. */
export interface InventoryHost {
  readonly host: string;
  readonly address: string;
  readonly looks: readonly Snapshot[];
}

/**
 * Lists what runs where, as an org list. It omits values that differ between checks (times, loads, used space), so that
 * it changes only when the host changes. If a check could not read a value, the value of an earlier check stays.
 */
export function inventoryLines(hosts: readonly InventoryHost[]): readonly string[] {
  return hosts
    .toSorted((a, b) => (a.host < b.host ? -1 : 1))
    .flatMap(({ host, address, looks }) => {
      const snapshot = lastRead(host, looks);
      return snapshot === null ? [] : hostLines(snapshot, address);
    });
}

/** Returns for each probe the newest reading that finished, or otherwise the newest one with facts. */
function lastRead(host: string, looks: readonly Snapshot[]): Snapshot | null {
  const newest = looks.findLast(({ answered }) => answered);
  if (newest === undefined) return null;
  const readings = INVENTORY_PROBES.flatMap((probe): Reading[] => {
    const all = looks.flatMap((look) => look.readings.filter((reading) => reading.probe === probe));
    const best = all.findLast(({ done }) => done) ?? all.findLast(({ facts }) => facts.length > 0);
    return best === undefined ? [] : [best];
  });
  return { ...newest, host, readings };
}

function hostLines(snapshot: Snapshot, address: string): readonly string[] {
  const os = factsOf(snapshot, 'system')[0]?.values.os ?? '';
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Services', sorted(factsOf(snapshot, 'unit').flatMap(service))],
    ['Ports', sorted(factsOf(snapshot, 'port').flatMap(port), byNumber)],
    ['Disks', sorted(disks(snapshot))],
    [
      'Backups',
      sorted(factsOf(snapshot, 'backup').map(({ name, values }) => `${plain(name)} (${plain(values.tool)})`)),
    ],
  ];
  return [
    `- ${plain(snapshot.host)}: ${[plain(address), plain(os)].filter((text) => text !== '').join(', ')}`,
    ...limited(sorted(factsOf(snapshot, 'container').map(container))).map((text) => `  - ${text}`),
    ...lists.filter(([, all]) => all.length > 0).map(([title, all]) => `  - ${title}: ${limited(all).join(', ')}`),
  ];
}

function container({ name, values }: FactOf<'container'>): string {
  const { engine, image, ports, state } = values;
  // Most ports are open on all addresses, so that is not mentioned.
  const shown = ports
    .split(' ')
    .flatMap((text) => (text === '' ? [] : [plain(text.replace(/^(0\.0\.0\.0|::)?:(?=\d*->)/, ''))]));
  // A restart takes a moment and is not worth a commit.
  const stopped = /^(exited|created|dead)$/.test(state) ? ', stopped' : '';
  const open = shown.length === 0 ? '' : `, ports ${shown.toSorted().join(' ')}`;
  return `Container ${plain(name)}: ${plain(engine)} ${plain(image)}${open}${stopped}`;
}

function service({ name, values }: FactOf<'unit'>): readonly string[] {
  const isService = values.manager !== 'systemd' || name.endsWith('.service');
  if (!isService || COMMON_UNIT.test(name) || !/^(active|failed|started)$/.test(values.state)) return [];
  return [plain(name.replace(/\.service$/, ''))];
}

/**
 * Merges the addresses of a port. One number and protocol on several addresses is one port, unless only the host itself
 * can reach it.
 */
function port({ name, values }: FactOf<'port'>): readonly string[] {
  const [, protocol = '', address = '', number = ''] = /^(\w+) (.*):(\d+)$/.exec(name) ?? [];
  // docker-proxy listens for a container, which has its own line.
  if (protocol === '' || Number(number) >= EPHEMERAL || values.process === 'docker-proxy') return [];
  const isLocal = /^(127\.|\[?::1)/.test(address);
  return [`${isLocal ? 'localhost:' : ''}${number}/${plain(protocol)}${values.process === '' ? '' : ` ${plain(values.process)}`}`]; // prettier-ignore
}

function disks(snapshot: Snapshot): readonly string[] {
  const sizes = new Map(factsOf(snapshot, 'disk').map(({ name, values }) => [name, values]));
  return factsOf(snapshot, 'mount').map(({ name, values: { source, type } }) => {
    const kb = sizes.get(name)?.kb ?? null;
    // The size of a network file system is unknown if its server does not answer.
    const isSteady = kb !== null && sizes.get(name)?.network !== 1 && !SHARED_SIZE.has(type);
    const size = isSteady ? ` ${gib(kb)}` : '';
    return `${plain(name)} (${plain(type)} on ${plain(source)}${size})`;
  });
}

function gib(kb: number): string {
  const size = kb / KB_PER_GIB;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} GiB`;
}

function sorted(texts: readonly string[], order?: (a: string, b: string) => number): readonly string[] {
  return [...new Set(texts)].toSorted(order);
}

const byNumber = (a: string, b: string): number =>
  Number(/\d+/.exec(a)?.[0] ?? 0) - Number(/\d+/.exec(b)?.[0] ?? 0) || (a < b ? -1 : 1);

function limited(all: readonly string[]): readonly string[] {
  return all.length <= NAMED_MAX ? all : [...all.slice(0, NAMED_MAX), `and ${all.length - NAMED_MAX} more`];
}

/**
 * Cleans a name from a host, which is data. It must not break the line, and it must not be a link, drawer or mark for
 * org.
 */
function plain(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll('[[', '[ [').replaceAll(']]', '] ]');
  return line.length <= NAME_MAX_CHARS ? line : `${line.slice(0, NAME_MAX_CHARS)}…`;
}
