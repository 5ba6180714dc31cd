import type { LabReadingRow } from '@aish/database/lab.repository';
import { parseReading, type Reading, type Snapshot } from '@aish/lab';
import { z } from 'zod';

/** The name of the row that says whether a host answered at all. */
export const HOST_ROW = 'host';
const Answer = z.object({ answered: z.boolean(), detail: z.string() });

/** Returns a snapshot as rows, one for each probe. */
export function rowsOf({ answered, detail, readings }: Snapshot): readonly Pick<LabReadingRow, 'probe' | 'reading'>[] {
  return [
    { probe: HOST_ROW, reading: { answered, detail } },
    ...readings.map((reading) => ({ probe: reading.probe, reading })),
  ];
}

/** Builds snapshots from rows that are sorted by host and time. */
export function snapshotsOf(rows: readonly LabReadingRow[]): ReadonlyMap<string, readonly Snapshot[]> {
  const hosts = new Map<string, Map<number, { at: Date; answer: z.infer<typeof Answer>; readings: Reading[] }>>();
  for (const { host, at, probe, reading } of rows) {
    const looks = hosts.get(host) ?? new Map();
    hosts.set(host, looks);
    const look = looks.get(at.getTime()) ?? { at, answer: { answered: true, detail: '' }, readings: [] };
    looks.set(at.getTime(), look);
    if (probe === HOST_ROW) look.answer = Answer.parse(reading);
    // A reading that an older version stored in another format counts as missing.
    else look.readings.push(...parseReading(reading));
  }
  return new Map(
    [...hosts].map(([host, looks]) => [
      host,
      [...looks.values()].map(({ at, answer, readings }) => ({ host, at, ...answer, readings })),
    ]),
  );
}
