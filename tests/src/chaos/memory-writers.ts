import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ReadDocument } from '@aish/contracts/memory-documents';
import { connectDatabase, type Database } from '@aish/database/client';
import { listEntries } from '@aish/database/memory-items.repository';
import { createTestDatabase } from '@aish/database/testing';
import { MemoryDocuments } from '@aish/memory';

/** The writes of one process that were acknowledged. */
export interface Written {
  /** The contents of the added items, by number. */
  readonly added: Record<number, string>;
  /** The deleted items, by the numbers of their tombstones. */
  readonly forgotten: Record<number, number>;
  readonly appended: string[];
  readonly replaced: string[];
  readonly refused: string[];
}

export interface Crowd {
  readonly processes: number;
  /** The number of writers in each process. */
  readonly writers: number;
  readonly seconds: number;
}

export type Counts = Readonly<Record<'added' | 'forgotten' | 'appended' | 'replaced' | 'refused', number>>;

const OWNER = 'crowd';
const MAIN = fileURLToPath(new URL('../../dist/chaos/memory-writer.main.js', import.meta.url));

/**
 * Runs many writers of one person's items, then of one document, in separate processes. Returns counts, and each fault
 * as a line of `faults`.
 */
export async function crowdOfWriters(crowd: Crowd): Promise<{ readonly counts: Counts; readonly faults: string[] }> {
  const database = await createTestDatabase();
  const db = connectDatabase(database.url);
  try {
    const items = await write(database.url, 'items', crowd);
    const documents = await write(database.url, 'document', crowd);
    const itemFaults = await checkItems(db, items.written);
    const documentFaults = await checkDocument(db, documents.written);
    const sum = (pick: (written: Written) => number) =>
      [...items.written, ...documents.written].reduce((total, written) => total + pick(written), 0);
    return {
      counts: {
        added: sum(({ added }) => Object.keys(added).length),
        forgotten: sum(({ forgotten }) => Object.keys(forgotten).length),
        appended: sum(({ appended }) => appended.length),
        replaced: sum(({ replaced }) => replaced.length),
        refused: sum(({ refused }) => refused.length),
      },
      faults: [...items.faults, ...documents.faults, ...itemFaults, ...documentFaults],
    };
  } finally {
    await db.close();
    await database.drop();
  }
}

async function write(
  url: string,
  what: 'items' | 'document',
  { processes, writers, seconds }: Crowd,
): Promise<{ readonly written: Written[]; readonly faults: string[] }> {
  const runs = await Promise.all(
    Array.from({ length: processes }, async (_, n) => {
      const args = [MAIN, url, what, OWNER, `p${n}`, String(writers), String(seconds)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      // A deadlock would show as a hang, or as an error of the database.
      const hang = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + 60_000);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(hang);
      if (code !== 0) return { fault: `${what}: process ${n} exited with code ${code}: ${stderr.slice(0, 2_000)}` };
      return { written: JSON.parse(stdout) as Written };
    }),
  );
  return {
    written: runs.flatMap((run) => run.written ?? []),
    faults: runs.flatMap((run) => run.fault ?? []),
  };
}

async function checkItems(db: Database, all: readonly Written[]): Promise<string[]> {
  const faults: string[] = [];
  const added = new Map(all.flatMap((written) => Object.entries(written.added)));
  const forgotten = new Map(all.flatMap((written) => Object.entries(written.forgotten)));
  const claims = all.flatMap(({ added: a, forgotten: f }) => [...Object.keys(a), ...Object.keys(f)]);
  if (new Set(claims).size !== claims.length) faults.push('a number was given to two writers');
  let expected = 1;
  const tombstones = new Map<number, number>();
  for (let after = 0; ;) {
    const page = await listEntries(db.statements, OWNER, after, 5_000);
    for (const row of page) {
      if (row.number !== expected) faults.push(`expected number ${expected}, found ${row.number}`);
      expected = row.number + 1;
      const key = String(row.number);
      const isKnown = row.kind === 'forget' ? forgotten.get(key) === row.target : added.get(key) === row.content;
      if (!isKnown) faults.push(`entry ${row.number} is not what a writer was told`);
      if (row.target !== null && tombstones.has(row.target)) faults.push(`${row.target} was forgotten twice`);
      if (row.target !== null) tombstones.set(row.target, row.number);
    }
    after = page.at(-1)?.number ?? after;
    if (page.length < 5_000) break;
  }
  if (expected - 1 !== claims.length)
    faults.push(`${claims.length} writes were acknowledged, ${expected - 1} are there`);
  const { rows } = await db.pool.query<{ number: number; forgotten_by: number }>(
    'select number, forgotten_by from memory_entries where owner = $1 and forgotten_by is not null',
    [OWNER],
  );
  if (rows.length !== tombstones.size) faults.push(`${tombstones.size} tombstones, ${rows.length} items marked`);
  for (const row of rows) {
    if (tombstones.get(row.number) !== row.forgotten_by) faults.push(`item ${row.number} is marked wrongly`);
  }
  return faults.slice(0, 20);
}

async function checkDocument(db: Database, all: readonly Written[]): Promise<string[]> {
  const faults: string[] = [];
  const documents = new MemoryDocuments(db);
  const { text, version } = await documents.read({ owner: OWNER, app: null }, 'user', ReadDocument.parse({}));
  const kept = all.flatMap(({ appended, replaced }) => [...appended, ...replaced]);
  for (const mark of kept) {
    const times = text.split(mark).length - 1;
    if (times !== 1) faults.push(`${mark} was acknowledged and is there ${times} times`);
  }
  for (const mark of all.flatMap(({ refused }) => refused)) {
    if (text.includes(mark)) faults.push(`${mark} was refused and is there`);
  }
  if (version !== kept.length) faults.push(`${kept.length} writes were acknowledged, the version is ${version}`);
  return faults.slice(0, 20);
}
