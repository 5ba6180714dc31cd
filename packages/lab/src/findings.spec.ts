import { describe, expect, it } from '@jest/globals';
import { findings, type History, type KnownFinding } from './findings.js';
import { DEFAULT_RULES, readRules } from './rules.js';
import { DAY_MS, NOW, history, look, silence, type Printed } from './testing/lab-fixture.js';

const find = (all: History, known: readonly KnownFinding[] = [], now = NOW) => findings(all, known, DEFAULT_RULES, now);
const one = (changes: Printed, known: readonly KnownFinding[] = []) =>
  find(history('nas', look('nas', NOW, changes)), known);
const failed = (name = 'nginx.service') => ({
  unit: { [name]: { manager: 'systemd', state: 'failed', sub: 'failed' } },
});

describe('findings', () => {
  it('are none on a quiet host', () => {
    expect(one({})).toEqual([]);
  });

  it('name twelve planted faults on four hosts, and nothing else', () => {
    const soon = Math.floor(NOW.getTime() / 1_000);
    const filling = (day: number): Printed => ({
      disk: { '/tank': { used: 860_000 - day * 20_000, free: 40_000 + day * 20_000 } },
    });
    const all: History = new Map([
      ...history('nas', look('nas', NOW, { ...filling(0), smart: { '/dev/sda': { pending: 8 } }, pool: { tank: { health: 'DEGRADED' } }, backup: { '/backups': { newest: soon - 5 * 86_400 } } }), filling), // prettier-ignore
      ...history('web', look('web', NOW, { ...failed(), container: { immich: { health: 'unhealthy' } }, certificate: { 'nas.lan:443': { ends: 'Jun  4 00:00:00 2026 GMT' } }, disk: { '/': { inodesFree: 20 } } })), // prettier-ignore
      ...history('pi', look('pi', NOW, { disk: { '/mnt/media': { answers: 0 } }, raid: { md0: { disks: '[U_]', degraded: 1 } }, oom: { oom: { kills: 5, last: 'java' } } })), // prettier-ignore
      ...history('old', silence('old', NOW)),
    ]);
    expect(find(all).map(({ id }) => id).toSorted()).toEqual([
      'backup-nas-1', 'certificate-web-1', 'container-web-1', 'disk-nas-1', 'host-old-1', 'inodes-web-1',
      'mount-pi-1', 'oom-pi-1', 'pool-nas-1', 'raid-pi-1', 'smart-nas-1', 'unit-web-1',
    ]); // prettier-ignore
    const sentences = find(all).map(({ sentence }) => sentence);
    expect(sentences).toContain('/tank on nas is 95 % full');
    expect(sentences).toContain('old does not answer (no route to host); it last did at 2026-05-29 07:00 UTC');
    expect(sentences).toContain('pi ran out of memory and killed 2 processes, java last');
  });

  it.each([
    [
      'a backup that is empty',
      { backup: { '/backups': { bytes: 0 } } },
      'the newest backup in /backups on nas has 0 % of the usual size',
    ],
    [
      'a backup folder without files',
      { backup: { '/backups': { files: 0, newest: null, bytes: null, median: null } } },
      'there is no backup in /backups on nas',
    ],
    [
      'a container that ended with an error',
      { container: { immich: { state: 'exited', code: 1, health: '' } } },
      'the container immich on nas has ended with exit code 1',
    ],
    [
      'a certificate that has expired',
      { certificate: { 'nas.lan:443': { ends: 'May 20 00:00:00 2026 GMT' } } },
      'the certificate of nas.lan:443 on nas has expired',
    ],
    [
      'a host that waits for a reboot',
      { system: { system: { reboot: 1, now: 0 } } },
      'nas waits for a reboot after updates',
    ],
    [
      'a clock that is off',
      { system: { system: { now: Math.floor(NOW.getTime() / 1_000) + 300 } } },
      'the clock of nas is 300 s off',
    ],
    ['a full file system', { disk: { '/': { used: 94_000, free: 1_000 } } }, '/ on nas is 98 % full'],
    [
      'a degraded RAID',
      { raid: { md0: { disks: '[U_]', degraded: 1, work: 'recovery' } } },
      'the RAID md0 on nas is degraded: [U_]; recovery runs',
    ],
    [
      'a RAID that is inactive',
      { raid: { md0: { state: 'inactive', disks: '', degraded: 0 } } },
      'the RAID md0 on nas is inactive: it is not running',
    ],
    ['security updates', { update: { updates: { pending: 9, security: 2 } } }, 'nas has 2 security updates to install'],
    [
      'restarts',
      { container: { immich: { restarts: 6 } } },
      'the container immich on nas has restarted 5 times since the last look',
    ],
  ])('%s is one', (_, changes, sentence) => {
    expect(one(changes).map((each) => each.sentence)).toEqual([sentence]);
  });

  it.each([
    [
      'a container that a person stopped',
      { container: { immich: { state: 'exited', code: 0, health: '', policy: 'unless-stopped' } } },
    ],
    ['a disk that sleeps', { smart: { '/dev/sda': { sleeping: 1, passed: null } } }],
    ['a scrub that runs', { raid: { md0: { work: 'check' } } }],
    ['one busy moment', { system: { system: { load: 90, now: 0 } } }],
    ['a clock that was not synchronised for a moment', { clock: { clock: { synced: 0 } } }],
    ['a file system without inodes', { disk: { '/tank': { inodes: 0, inodesFree: 0 } } }],
  ])('%s is none', (_, changes) => {
    expect(one(changes)).toEqual([]);
  });

  it('tell in how many days a disk is full, and do not take one big file for a trend', () => {
    const used = (value: number): Printed => ({ disk: { '/': { used: value, free: 95_000 - value } } });
    const growing = find(history('nas', look('nas', NOW, used(80_000)), (day) => used(80_000 - day * 2_000)));
    expect(growing.map(({ sentence }) => sentence)).toEqual(['/ on nas is 84 % full, and full in 7 days']);
    expect(find(history('nas', look('nas', NOW, used(80_000)), (day) => used(day > 3 ? 40_000 : 80_000)))).toEqual([]);
  });

  it('keep their id and the time they were first seen, and a second one has the next number', () => {
    const [first] = one(failed());
    const later = new Date(NOW.getTime() + DAY_MS);
    const both = look('nas', later, { unit: { ...failed('a.service').unit, ...failed().unit } });
    const again = find(new Map([['nas', [both]]]), first === undefined ? [] : [first], later);
    expect(again.map(({ id, name, firstSeen }) => [id, name, firstSeen])).toEqual([
      ['unit-nas-2', 'a.service', later],
      ['unit-nas-1', 'nginx.service', NOW],
    ]);
  });

  it('that went and came back keep their id, and are new again', () => {
    const [first] = one(failed());
    if (first === undefined) throw new Error('there is none');
    const again = one(failed(), [{ ...first, state: '', firstSeen: new Date(0) }]);
    expect(again.map(({ id, firstSeen }) => [id, firstSeen])).toEqual([['unit-nas-1', NOW]]);
  });

  it('are muted until their fact changes, or until a date', () => {
    const high = { disk: { '/': { used: 87_000, free: 8_000 } } };
    const full = { disk: { '/': { used: 94_900, free: 100 } } };
    const [before] = one(high);
    if (before === undefined) throw new Error('there is none');
    const muted = (change: Partial<KnownFinding>, changes: Printed) =>
      one(changes, [{ ...before, ...change }])[0]?.muted;
    expect(muted({ mutedState: before.state }, high)).toBe(true);
    expect(muted({ mutedState: before.state }, full)).toBe(false);
    expect(muted({ mutedUntil: new Date(NOW.getTime() + 1) }, full)).toBe(true);
    expect(muted({ mutedUntil: NOW }, high)).toBe(false);
  });

  it('are ignored as brief.yaml says, the last day included', () => {
    const ignored = (yaml: string) =>
      findings(history('nas', look('nas', NOW, failed())), [], readRules(yaml), NOW)[0]?.muted;
    expect(ignored('ignore: [{kind: unit, host: nas, until: 2026-05-30}]')).toBe(true);
    expect(ignored('ignore: [{kind: unit, until: 2026-05-29}]')).toBe(false);
    expect(ignored('ignore: [{finding: unit-nas-1}]')).toBe(true);
    expect(ignored('ignore: [{kind: unit, name: other.service}]')).toBe(false);
  });
});
