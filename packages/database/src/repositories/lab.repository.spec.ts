import { describe, expect, it } from '@jest/globals';
import type { Database } from '../client.js';
import { openSuiteDatabase } from '../testing/suite-database.js';
import {
  listLabFindings,
  listLabReadings,
  muteLabFinding,
  readLabRules,
  saveLabFindings,
  saveLabRules,
  saveLabSnapshot,
  type LabFindingRow,
} from './lab.repository.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-05-30T07:00:00.000Z');
const day = (number: number) => new Date(NOW.getTime() + number * DAY_MS);

describe('stored readings of hosts', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { max: 4 });

  const all = { until: day(1_000), looks: 1_000, probes: null };
  const finding: LabFindingRow = { id: 'disk-nas-1', kind: 'disk', host: 'nas', name: '/', state: 'high', firstSeen: NOW, mutedState: null, mutedUntil: null }; // prettier-ignore

  it('the last sixty readings of each probe of a host are listed, oldest first', async () => {
    const tx = db.statements;
    for (let at = 0; at < 65; at += 1) {
      const readings = ['disk', 'unit'].map((probe) => ({ probe, reading: { at, bad: '\0' } }));
      await saveLabSnapshot(tx, 'nas', day(at), readings);
    }
    await saveLabSnapshot(tx, 'web', day(3), [{ probe: 'disk', reading: {} }]);
    const rows = await listLabReadings(tx, all);
    expect(rows.filter(({ host }) => host === 'nas')).toHaveLength(120);
    expect(rows[0]).toMatchObject({ host: 'nas', probe: 'disk', at: day(5), reading: { at: 5 } });
    const before = await listLabReadings(tx, { until: day(20), looks: 2, probes: ['unit'] });
    expect(before.map(({ host, probe, at }) => [host, probe, at])).toEqual([
      ['nas', 'unit', day(19)],
      ['nas', 'unit', day(20)],
    ]);
  });

  it('a finding stays muted until its state changes or it is gone', async () => {
    const tx = db.statements;
    const muted = async () => (await listLabFindings(tx)).map(({ mutedState }) => mutedState);
    await saveLabFindings(tx, [finding], NOW);
    expect(await muteLabFinding(tx, 'disk-nas-1', null)).toBe('muted');
    expect(await muteLabFinding(tx, 'disk-nas-2', null)).toBe('unknown');
    await saveLabFindings(tx, [finding], day(1));
    expect(await muted()).toEqual(['high']);
    await saveLabFindings(tx, [{ ...finding, state: 'full' }], day(2));
    expect(await muted()).toEqual([null]);
    await muteLabFinding(tx, 'disk-nas-1', null);
    await saveLabFindings(tx, [], day(3));
    expect(await muted()).toEqual([null]);
    expect(await muteLabFinding(tx, 'disk-nas-1', null)).toBe('gone');
    await saveLabFindings(tx, [], day(95));
    expect(await listLabFindings(tx)).toEqual([]);
  });

  it('an incomplete check of a host unmutes no finding, but ends the finding that the host is unreachable', async () => {
    const tx = db.statements;
    const host = { ...finding, id: 'host-nas-1', kind: 'host', name: 'nas', state: 'silent' };
    await saveLabFindings(tx, [finding, host], NOW);
    await muteLabFinding(tx, 'disk-nas-1', null);
    await saveLabFindings(tx, [], day(1), ['nas']);
    const states = async () => (await listLabFindings(tx)).map(({ id, state, mutedState }) => [id, state, mutedState]);
    expect(await states()).toEqual([
      ['disk-nas-1', 'high', 'high'],
      ['host-nas-1', '', null],
    ]);
    await saveLabFindings(tx, [], day(2), ['web']);
    expect((await states())[0]).toEqual(['disk-nas-1', '', null]);
    await saveLabFindings(tx, [], day(95));
  });

  it('a finding that is muted until a date stays muted, even if it disappears and comes back', async () => {
    const tx = db.statements;
    await saveLabFindings(tx, [finding], NOW);
    await muteLabFinding(tx, 'disk-nas-1', day(30));
    await saveLabFindings(tx, [], day(1));
    await saveLabFindings(tx, [finding], day(2));
    expect((await listLabFindings(tx)).map(({ mutedUntil }) => mutedUntil)).toEqual([day(30)]);
  });

  it('saving brief.yaml replaces its previous text', async () => {
    expect(await readLabRules(db.statements)).toBe('');
    await saveLabRules(db.statements, 'ignore: []');
    await saveLabRules(db.statements, 'thresholds: {disk: 80}');
    expect(await readLabRules(db.statements)).toBe('thresholds: {disk: 80}');
  });
});
