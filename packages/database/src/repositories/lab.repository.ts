import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

/** Number of readings kept per host: two months with one reading a day. */
const SNAPSHOTS_MAX = 60;
/** The number of days after which a finding that was gone counts as new when it comes back. */
const FINDING_DAYS = 90;

export interface LabReadingRow {
  readonly host: string;
  readonly probe: string;
  readonly at: Date;
  readonly reading: unknown;
}

export interface LabFindingRow {
  readonly id: string;
  readonly kind: string;
  readonly host: string;
  readonly name: string;
  readonly state: string;
  readonly firstSeen: Date;
  readonly mutedState: string | null;
  readonly mutedUntil: Date | null;
}

/** Stores one reading of a host with a row for each probe, and deletes its oldest readings. */
export async function saveLabSnapshot(
  tx: Tx,
  host: string,
  at: Date,
  readings: readonly Pick<LabReadingRow, 'probe' | 'reading'>[],
): Promise<void> {
  const probes = readings.map(({ probe }) => probe);
  const values = readings.map(({ reading }) => storableJson(reading) ?? 'null');
  await tx.$executeRaw`
    insert into lab_snapshots (host, at, probe, reading)
    select ${host}, ${at}::timestamptz, r.probe, r.reading::jsonb
    from unnest(${probes}::text[], ${values}::text[]) as r (probe, reading)
    on conflict (host, at, probe) do nothing`;
  await tx.$executeRaw`
    delete from lab_snapshots where host = ${host} and at not in (
      select distinct at from lab_snapshots where host = ${host} order by at desc limit ${SNAPSHOTS_MAX}::int)`;
}

/** Lists the newest readings of each host until a time, for some or all probes, oldest first. */
export async function listLabReadings(
  tx: Tx,
  { until, looks, probes }: { readonly until: Date; readonly looks: number; readonly probes: readonly string[] | null },
): Promise<LabReadingRow[]> {
  return tx.$queryRaw<LabReadingRow[]>`
    with looks as (
      select host, at, row_number() over (partition by host order by at desc) as n
      from (select distinct host, at from lab_snapshots where at <= ${until}::timestamptz) as each)
    select s.host, s.probe, s.at, s.reading
    from lab_snapshots s join looks l on l.host = s.host and l.at = s.at and l.n <= ${looks}::int
    where ${probes === null ? null : [...probes]}::text[] is null or s.probe = any(${probes === null ? [] : [...probes]}::text[])
    order by s.host, s.at, s.probe`;
}

export async function listLabFindings(tx: Tx): Promise<LabFindingRow[]> {
  return tx.$queryRaw<LabFindingRow[]>`
    select id, kind, host, name, state, first_seen as "firstSeen", muted_state as "mutedState", muted_until as "mutedUntil"
    from lab_findings order by id`;
}

/**
 * Stores the current findings. A finding that disappears and comes back is no longer muted, unless the mute has a date.
 * @param unsure hosts whose reading is incomplete. Their other findings may still be true, so they stay unchanged.
 */
export async function saveLabFindings(
  tx: Tx,
  found: readonly LabFindingRow[],
  now: Date,
  unsure: readonly string[] = [],
): Promise<void> {
  const ids = found.map(({ id }) => id);
  for (const { id, kind, host, name, state, firstSeen } of found) {
    await tx.$executeRaw`
      insert into lab_findings (id, kind, host, name, state, first_seen, last_seen)
      values (${id}, ${kind}, ${host}, ${storable(name)}, ${storable(state)}, ${firstSeen}::timestamptz, ${now}::timestamptz)
      on conflict (kind, host, name) do update set state = excluded.state, last_seen = excluded.last_seen,
        first_seen = excluded.first_seen,
        muted_state = case when lab_findings.muted_state = excluded.state then excluded.state end`;
  }
  await tx.$executeRaw`update lab_findings set muted_state = null, state = ''
    where id <> all(${ids}::text[]) and (kind = 'host' or host <> all(${[...unsure]}::text[]))`;
  await tx.$executeRaw`
    delete from lab_findings where last_seen < ${now}::timestamptz - make_interval(days => ${FINDING_DAYS}::int)`;
}

/** Mutes a finding until a date, or until its fact changes. A finding that is gone cannot be muted. */
export async function muteLabFinding(tx: Tx, id: string, until: Date | null): Promise<'muted' | 'gone' | 'unknown'> {
  const rows = await tx.$queryRaw<{ state: string }[]>`select state from lab_findings where id = ${id} for update`;
  const [found] = rows;
  if (found === undefined) return 'unknown';
  if (found.state === '') return 'gone';
  await tx.$executeRaw`
    update lab_findings set muted_until = ${until}::timestamptz,
      muted_state = case when ${until}::timestamptz is null then state end
    where id = ${id}`;
  return 'muted';
}

/** Returns the text of brief.yaml; empty if nobody has written one. */
export async function readLabRules(tx: Tx): Promise<string> {
  const rows = await tx.$queryRaw<{ yaml: string }[]>`select yaml from lab_rules`;
  return rows[0]?.yaml ?? '';
}

export async function saveLabRules(tx: Tx, yaml: string): Promise<void> {
  await tx.$executeRaw`
    insert into lab_rules (id, yaml) values (1, ${storable(yaml)}) on conflict (id) do update set yaml = excluded.yaml`;
}
