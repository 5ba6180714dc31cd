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
  it('a quiet host has no findings', () => {
    expect(one({})).toEqual([]);
  });

  it('twelve planted faults on four hosts are found, and nothing else', () => {
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
    expect(sentences).toContain('old does not respond (no route to host); it last responded at 2026-05-29 07:00 UTC');
    expect(sentences).toContain('pi ran out of memory and killed 2 processes, java last');
  });

  it.each([
    [
      'a backup that is empty',
      { backup: { '/backups': { bytes: 0 } } },
      'the newest backup in /backups on nas is 0 % of the usual size',
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
      'nas needs a reboot after updates',
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
    [
      'a disk that fails',
      { smart: { '/dev/sda': { passed: 0, failing: 'Reallocated_Sector_Ct' } } },
      'the disk /dev/sda on nas fails its own test: replace it',
    ],
    [
      'a disk with an attribute that is past its limit',
      { smart: { '/dev/bus/0 megaraid,8': { passed: 1, failing: 'Spin_Retry_Count End-to-End_Error' } } },
      "the disk /dev/bus/0 megaraid,8 on nas is past its maker's limit for Spin_Retry_Count, End-to-End_Error",
    ],
    [
      'one security update',
      { update: { updates: { pending: 9, security: 1 } } },
      'nas has 1 security update to install',
    ],
    ['security updates', { update: { updates: { pending: 9, security: 2 } } }, 'nas has 2 security updates to install'],
    [
      'a container that restarts',
      { container: { immich: { restarts: 6 } } },
      'the container immich on nas has restarted 5 times since the last check',
    ],
  ])('the daily check reports %s as a finding', (_, changes, sentence) => {
    expect(one(changes).map((each) => each.sentence)).toEqual([sentence]);
  });

  it.each([
    [
      'a container that a person stopped',
      { container: { immich: { state: 'exited', code: 0, health: '', policy: 'unless-stopped' } } },
    ],
    ['a disk that sleeps', { smart: { '/dev/sda': { sleeping: 1, passed: null } } }],
    ['a disk that does not say how it is', { smart: { '/dev/sda': { passed: null } } }],
    ['a scrub that runs', { raid: { md0: { work: 'check' } } }],
    ['one busy moment', { system: { system: { load: 90, now: 0 } } }],
    ['a clock that was not synchronised for a moment', { clock: { clock: { synced: 0 } } }],
    ['a file system without inodes', { disk: { '/tank': { inodes: 0, inodesFree: 0 } } }],
  ])('the daily check does not report %s as a finding', (_, changes) => {
    expect(one(changes)).toEqual([]);
  });

  it('a finding says in how many days a disk will be full, and one big file is not a trend', () => {
    const used = (value: number): Printed => ({ disk: { '/': { used: value, free: 95_000 - value } } });
    const growing = find(history('nas', look('nas', NOW, used(80_000)), (day) => used(80_000 - day * 2_000)));
    expect(growing.map(({ sentence }) => sentence)).toEqual(['/ on nas is 84 % full, and full in 7 days']);
    expect(find(history('nas', look('nas', NOW, used(80_000)), (day) => used(day > 3 ? 40_000 : 80_000)))).toEqual([]);
  });

  it('a finding keeps its ID and the time when it was first seen, and a second one gets the next number', () => {
    const [first] = one(failed());
    const later = new Date(NOW.getTime() + DAY_MS);
    const both = look('nas', later, { unit: { ...failed('a.service').unit, ...failed().unit } });
    const again = find(new Map([['nas', [both]]]), first === undefined ? [] : [first], later);
    expect(again.map(({ id, name, firstSeen }) => [id, name, firstSeen])).toEqual([
      ['unit-nas-2', 'a.service', later],
      ['unit-nas-1', 'nginx.service', NOW],
    ]);
  });

  it('a finding that disappeared and returned keeps its ID, and counts as new again', () => {
    const [first] = one(failed());
    if (first === undefined) throw new Error('there is none');
    const again = one(failed(), [{ ...first, state: '', firstSeen: new Date(0) }]);
    expect(again.map(({ id, firstSeen }) => [id, firstSeen])).toEqual([['unit-nas-1', NOW]]);
  });

  it('a finding is muted until its fact changes, or until a date', () => {
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

  it('a finding that brief.yaml ignores is muted, up to and including the last day', () => {
    const ignored = (yaml: string) =>
      findings(history('nas', look('nas', NOW, failed())), [], readRules(yaml), NOW)[0]?.muted;
    expect(ignored('ignore: [{kind: unit, host: nas, until: 2026-05-30}]')).toBe(true);
    expect(ignored('ignore: [{kind: unit, until: 2026-05-29}]')).toBe(false);
    expect(ignored('ignore: [{finding: unit-nas-1}]')).toBe(true);
    expect(ignored('ignore: [{kind: unit, name: other.service}]')).toBe(false);
  });
});
