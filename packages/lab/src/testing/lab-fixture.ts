import type { Snapshot } from '../facts.js';
import type { History } from '../findings.js';
import { readFacts } from '../read-facts.js';

export const NOW = new Date('2026-05-30T07:00:00Z');
export const DAY_MS = 86_400_000;

/** The output of probes: the name of each probe, then the name and values of each thing. */
export type Printed = Readonly<Record<string, Readonly<Record<string, object>>>>;

const QUIET: Printed = {
  system: { system: { os: 'Debian', kernel: '6.12', now: 0, uptime: 5_000_000, load: 0.4, cpus: 4, reboot: 0, MemTotal: 1_000, MemAvailable: 600, SwapTotal: 0, SwapFree: 0 } }, // prettier-ignore
  disk: {
    '/': {
      type: 'ext4',
      network: 0,
      answers: 1,
      kb: 100_000,
      used: 40_000,
      free: 55_000,
      inodes: 1_000,
      inodesFree: 800,
    },
    '/tank': {
      type: 'zfs',
      network: 0,
      answers: 1,
      kb: 900_000,
      used: 400_000,
      free: 500_000,
      inodes: 0,
      inodesFree: 0,
    },
    '/mnt/media': { type: 'nfs4', network: 1, answers: 1, kb: 900, used: 400, free: 500, inodes: 0, inodesFree: 0 },
  },
  unit: { 'nginx.service': { manager: 'systemd', state: 'active', sub: 'running' } },
  container: { immich: { engine: 'docker', image: 'immich:2', imageId: 'sha256:aa', state: 'running', started: '2026-05-01T00:00:00Z', code: 0, restarts: 1, health: 'healthy', policy: 'always' } }, // prettier-ignore
  image: { 'immich:2': { created: '2026-04-01T00:00:00Z' } },
  backup: { '/backups': { readable: 1, files: 30, newest: 0, bytes: 1_000, median: 1_010 } },
  certificate: { 'nas.lan:443': { ends: 'Sep 30 00:00:00 2026 GMT', readable: 1 } },
  update: { updates: { pending: 4, security: 0 } },
  smart: { '/dev/sda': { sleeping: 0, passed: 1, moved: 0, pending: 0, heat: 35, worn: 3 } },
  raid: { md0: { state: 'active', disks: '[UU]', degraded: 0 } },
  pool: { tank: { health: 'ONLINE', full: 44 } },
  clock: { clock: { synced: 1 } },
  login: { logins: { failed: 12 } },
  oom: { oom: { kills: 3 } },
  port: { 'tcp 0.0.0.0:22': { process: 'sshd' } },
  user: { root: { uid: 0, shell: '/bin/bash', keys: 'SHA256:abc' } },
  cron: { '/etc/crontab 1': { line: '5 4 * * * root /usr/local/bin/backup' } },
  mount: { '/tank': { source: 'tank', type: 'zfs' } },
  package: { openssl: { version: '3.5.1' } },
  size: { '/srv': { kb: 10_240 } },
};

/** Makes one check, through the reader for real host output. The host's clock and its newest backup match the time. */
export function look(host: string, at: Date, changes: Printed = {}): Snapshot {
  const seconds = Math.floor(at.getTime() / 1_000);
  const lines = Object.keys(QUIET).flatMap((probe) => {
    const things: Readonly<Record<string, object>> = { ...QUIET[probe], ...changes[probe] };
    const facts = Object.entries(things).map(([name, values]) => {
      const moved = { ...QUIET[probe]?.[name], ...values };
      const own = probe === 'system' ? { now: seconds } : probe === 'backup' ? { newest: seconds - 20_000 } : {};
      return {
        probe,
        name,
        ...moved,
        ...own,
        ...values,
        ...('now' in values && values.now === 0 ? own : {}),
        ...('newest' in values && values.newest === 0 ? own : {}),
      };
    });
    return [...facts, { probe, done: true }].map((line) => JSON.stringify(line));
  });
  return { host, at, answered: true, detail: '', readings: readFacts(lines.join('\n')) };
}

export function silence(host: string, at: Date): Snapshot {
  return { host, at, answered: false, detail: 'no route to host', readings: [] };
}

/** Makes fourteen quiet days of a host, followed by `last`. */
export function history(host: string, last: Snapshot, earlier: (day: number) => Printed = () => ({})): History {
  const days = Array.from({ length: 14 }, (_, at) => 14 - at);
  const past = days.map((day) => look(host, new Date(NOW.getTime() - day * DAY_MS), earlier(day)));
  return new Map([[host, [...past, last]]]);
}
