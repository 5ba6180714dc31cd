import type { ImportReport } from '@aish/contracts/memory';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  importEntries,
  listEntries,
  markAllForgotten,
  storable,
  type MemoryEntryRow,
} from '@aish/database/memory-items.repository';
import { inTransaction } from '@aish/database/transaction';
import { formatEntry, parseMemoryFile, type NumberedEntry } from './jsonl.js';

const PAGE = 2_000;
const IMPORT_TIMEOUT_MS = 300_000;

/** Yields the owner's record as lines of a `memory.jsonl`, including tombstones, ordered by number. */
export async function* exportLines(db: Database, owner: string): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const page = await listEntries(db.statements, owner, after, PAGE);
    for (const row of page) yield formatEntry(row);
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}

/**
 * Imports a `memory.jsonl` in one transaction. Numbers stay the same if possible. An existing entry is not written
 * again. If its number belongs to another entry, an entry gets the next free number, and tombstones of the file refer
 * to that one.
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
  /** Tombstones without a target. They would forget a later item with that number. */
  readonly aimless: ImportReport['broken'];
}

/** Chooses the number of each entry. Items come first, because tombstones may precede their targets. */
function place(entries: readonly NumberedEntry[], here: ReadonlyMap<number, MemoryEntryRow>): Placed {
  const numbers = new Set([...here.keys(), ...entries.map((entry) => entry.number)]);
  let next = [...numbers].reduce((most, number) => Math.max(most, number), 0) + 1;
  const moved = new Map<number, number>();
  /** Entries are compared by content, so that a file that was imported under other numbers is recognized. */
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
  return JSON.stringify([entry.kind, storable(entry.content ?? ''), new Date(entry.at).getTime()]);
}
