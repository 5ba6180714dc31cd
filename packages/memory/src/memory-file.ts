import type { ImportReport } from '@aish/contracts/memory';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  importEntries,
  listEntries,
  markAllForgotten,
  type MemoryEntryRow,
} from '@aish/database/memory-items.repository';
import { inTransaction } from '@aish/database/transaction';
import { formatEntry, parseMemoryFile, type NumberedEntry } from './jsonl.js';

const PAGE = 2_000;
const IMPORT_TIMEOUT_MS = 300_000;

/** The owner's record as lines of a `memory.jsonl`, tombstones included, in order of their numbers. */
export async function* exportLines(db: Database, owner: string): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const page = await listEntries(db.statements, owner, after, PAGE);
    for (const row of page) yield formatEntry(row);
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}

/**
 * Takes a `memory.jsonl` over, all in one transaction. Numbers stay as they are. An entry that is there already is not
 * written again; one whose number belongs to another entry gets the next free one, and tombstones of the file follow.
 */
export async function importFile(db: Database, owner: string, text: string, by: string): Promise<ImportReport> {
  const { entries, broken } = parseMemoryFile(text, by);
  return inTransaction(
    db,
    async (tx) => {
      await lockInTransaction(tx, LockNamespace.memoryItems, owner);
      const here = new Map<number, MemoryEntryRow>();
      for (let after = 0; ;) {
        const page = await listEntries(tx, owner, after, PAGE);
        for (const row of page) here.set(row.number, row);
        after = page.at(-1)?.number ?? after;
        if (page.length < PAGE) break;
      }
      const { fresh, known, renumbered, aimless } = place(entries, here);
      for (let at = 0; at < fresh.length; at += PAGE) await importEntries(tx, owner, fresh.slice(at, at + PAGE));
      await markAllForgotten(tx, owner);
      return { imported: fresh.length, known, renumbered, broken: [...broken, ...aimless] };
    },
    { timeoutMs: IMPORT_TIMEOUT_MS },
  );
}

interface Placed {
  readonly fresh: readonly NumberedEntry[];
  readonly known: number;
  readonly renumbered: ImportReport['renumbered'];
  /** Tombstones of nothing: they would forget a later item that gets the number. */
  readonly aimless: ImportReport['broken'];
}

/** Decides the number of each entry. Items first: tombstones may stand before what they forget. */
function place(entries: readonly NumberedEntry[], here: ReadonlyMap<number, MemoryEntryRow>): Placed {
  const numbers = new Set([...here.keys(), ...entries.map((entry) => entry.number)]);
  let next = [...numbers].reduce((most, number) => Math.max(most, number), 0) + 1;
  const moved = new Map<number, number>();
  /** By what they say: a file that was taken over under other numbers is known again. */
  const byContent = new Map([...here.values()].filter((row) => row.content !== null).map((row) => [mark(row), row]));
  const fresh: NumberedEntry[] = [];
  const renumbered: ImportReport['renumbered'] = [];
  const aimless: ImportReport['broken'] = [];
  const items = new Set([...here.values()].flatMap(({ content, number }) => (content === null ? [] : [number])));
  let known = 0;
  const isTombstone = (entry: NumberedEntry): boolean => entry.kind === 'forget';
  const ordered = [...entries.filter((entry) => !isTombstone(entry)), ...entries.filter(isTombstone)];
  for (const entry of ordered) {
    const target = entry.target === null ? null : (moved.get(entry.target) ?? entry.target);
    const replaces = entry.replaces === null ? null : (moved.get(entry.replaces) ?? entry.replaces);
    const row = here.get(entry.number);
    const twin = entry.content === null ? undefined : byContent.get(mark(entry));
    if (twin !== undefined) {
      if (twin.number !== entry.number) moved.set(entry.number, twin.number);
      known += 1;
    } else if (target !== null && (row?.target === target || isForgotten(here, target))) known += 1;
    else if (target !== null && !items.has(target)) {
      aimless.push({ line: entry.line, reason: `forgets item ${entry.target ?? target}, which is not there` });
    } else if (row === undefined) fresh.push({ ...entry, target, replaces });
    else {
      renumbered.push({ line: entry.line, from: entry.number, to: next });
      moved.set(entry.number, next);
      fresh.push({ ...entry, number: next, target, replaces });
      next += 1;
    }
    const placed = fresh.at(-1);
    if (placed !== undefined && placed.target === null) items.add(placed.number);
  }
  return { fresh, known, renumbered, aimless };
}

function isForgotten(here: ReadonlyMap<number, MemoryEntryRow>, number: number): boolean {
  return (here.get(number)?.forgotten_by ?? null) !== null;
}

function mark(entry: Pick<NumberedEntry, 'kind' | 'content'> & { readonly at: string | Date }): string {
  return JSON.stringify([entry.kind, entry.content, new Date(entry.at).getTime()]);
}
