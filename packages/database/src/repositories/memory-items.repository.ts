import type { MemoryEntryRow as Row } from '../generated/rows.js';
import type { KeptBackground } from './memory-sessions.repository.js';
import {
  MemoryKind,
  MemoryOrigin,
  MemorySource,
  type MemoryItem,
  type MemoryKind as Kind,
  type MemoryOrigin as Origin,
  type MemorySource as Source,
} from '@aish/contracts/memory';
import { LockNamespace, inLockedStatement } from '../advisory-lock.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

export { storable };

/** An item that is not written yet. The insert assigns its number. */
export interface NewItem {
  readonly kind: Kind;
  readonly content: string;
  readonly tags: readonly string[];
  readonly origin: Origin;
  readonly source: Source | null;
  readonly by: string;
}

export type MemoryEntryRow = Omit<Row, 'owner' | 'questions'>;

export interface ShownBackground extends KeptBackground {
  /** The owner of the items. */
  readonly owner: string;
  readonly items: readonly MemoryItem[];
}

export function toMemoryItem(row: MemoryEntryRow): MemoryItem {
  const source = MemorySource.safeParse(row.source);
  return {
    number: row.number,
    kind: MemoryKind.parse(row.kind),
    content: row.content ?? '',
    tags: row.tags,
    origin: MemoryOrigin.parse(row.origin),
    source: source.success ? source.data : null, // An imported line may have a source in its own format.
    by: row.by,
    at: row.at.toISOString(),
    replaces: row.replaces,
    forgottenBy: row.forgotten_by,
  };
}

/** One change of an owner's record: a new item, a tombstone for an active item, or a replacement. */
export type EntryChange =
  | { readonly type: 'add'; readonly item: NewItem }
  | { readonly type: 'replace'; readonly target: number; readonly item: NewItem }
  | { readonly type: 'forget'; readonly target: number; readonly by: string };

/** Returns an item in the form that Postgres stores, so that a response shows what is stored. */
export function storableItem(item: NewItem): NewItem {
  return { ...item, content: storable(item.content), tags: item.tags.map(storable) };
}

/** The number and the time of a change; null if its target is not an active item. */
export type EntryGiven = { readonly number: number; readonly at: Date } | null;

/**
 * Carries out changes in order, all or none, under the owner's lock, in one round trip (the SQL function
 * `memory_apply`). Numbers continue without gaps or duplicates.
 *
 * @throws AishError `locked` if others hold the lock for longer than `waitMs`.
 */
export async function applyEntryChanges(
  tx: Tx,
  owner: string,
  changes: readonly EntryChange[],
  waitMs: number,
): Promise<EntryGiven[]> {
  const payload = storableJson(
    changes.map((change, n) => {
      const forgets = change.type === 'add' ? null : change.target;
      if (change.type === 'forget') return { n, forgets, author: change.by };
      const { by, ...item } = change.item;
      return { n, forgets, author: by, ...item };
    }),
  );
  const rows = await inLockedStatement(
    LockNamespace.memoryItems,
    owner,
    () => tx.$queryRaw<{ n: number; number: number; at: Date }[]>`
      select n, number, at
      from memory_apply(${LockNamespace.memoryItems}::int, ${owner}, ${waitMs}::int, ${payload}::jsonb)`,
  );
  const given = new Map(rows.map(({ n, number, at }) => [n, { number, at }]));
  return changes.map((_, n) => given.get(n) ?? null);
}

/**
 * Writes a tombstone for every active item, or for those older than `before`. The caller must hold the owner's advisory
 * lock.
 *
 * @returns the items that were forgotten.
 */
export async function forgetAll(tx: Tx, owner: string, by: string, before: Date | null): Promise<number[]> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    with last as (select coalesce(max(number), 0) as number from memory_entries where owner = ${owner}),
    gone as (
      select e.number, last.number + row_number() over (order by e.number) as tombstone from memory_entries e, last
      where e.owner = ${owner} and e.target is null and e.forgotten_by is null
        and (${before}::timestamptz is null or e.at < ${before}::timestamptz)),
    marked as (
      update memory_entries e set forgotten_by = gone.tombstone from gone
      where e.owner = ${owner} and e.number = gone.number returning e.number)
    insert into memory_entries (owner, number, kind, target, tags, by)
    select ${owner}, tombstone, 'forget', number, '{}', ${by} from gone
    returning target as number`;
  return rows.map((row) => row.number).toSorted((a, b) => a - b);
}

/** Returns one entry, which is an item or a tombstone, or null. */
export async function findEntry(tx: Tx, owner: string, number: number): Promise<MemoryEntryRow | null> {
  const rows = await tx.$queryRaw<MemoryEntryRow[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_entries where owner = ${owner} and number = ${number}::int`;
  return rows[0] ?? null;
}

export interface ItemFilter {
  readonly kind: Kind | null;
  readonly tag: string | null;
  readonly limit: number;
}

/** Lists active items, newest first, after the position `after`. */
export async function listActiveItems(
  tx: Tx,
  owner: string,
  filter: ItemFilter,
  after: { readonly at: Date; readonly number: number } | null,
): Promise<MemoryItem[]> {
  const rows = await tx.$queryRaw<MemoryEntryRow[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_entries
    where owner = ${owner} and target is null and forgotten_by is null
      and (at, number) < (${after?.at ?? new Date('9999-12-31T00:00:00Z')}::timestamptz, ${after?.number ?? 0}::int)
      and (${filter.kind}::text is null or kind = ${filter.kind})
      and (${filter.tag}::text is null or ${filter.tag} = any(tags))
    order by at desc, number desc limit ${filter.limit}::int`;
  return rows.map(toMemoryItem);
}

/** Lists active and forgotten items, highest number first, below the number `below`. */
export async function listAllItems(
  tx: Tx,
  owner: string,
  filter: ItemFilter & { readonly forgottenOnly: boolean },
  below: number | null,
): Promise<MemoryItem[]> {
  const rows = await tx.$queryRaw<MemoryEntryRow[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_entries
    where owner = ${owner} and target is null
      and (${below}::int is null or number < ${below}::int)
      and (not ${filter.forgottenOnly}::boolean or forgotten_by is not null)
      and (${filter.kind}::text is null or kind = ${filter.kind})
      and (${filter.tag}::text is null or ${filter.tag} = any(tags))
    order by number desc limit ${filter.limit}::int`;
  return rows.map(toMemoryItem);
}

/** Returns the items with these numbers, including forgotten ones, in any order. */
export async function itemsByNumber(tx: Tx, owner: string, numbers: readonly number[]): Promise<MemoryItem[]> {
  const rows = await tx.$queryRaw<MemoryEntryRow[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_entries where owner = ${owner} and number = any(${[...numbers]}::int[]) and target is null`;
  return rows.map(toMemoryItem);
}

/**
 * Returns the session's background as it was loaded, with the items that it names, including forgotten ones, in any
 * order. Null if none was loaded yet.
 */
export async function findShownBackground(tx: Tx, sessionId: string): Promise<ShownBackground | null> {
  type Told = KeptBackground & { readonly told_to: string };
  const rows = await tx.$queryRaw<(Told & { [Key in keyof MemoryEntryRow]: MemoryEntryRow[Key] | null })[]>`
    select b.owner as told_to, b.numbers, b.instructions,
      e.number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_backgrounds b
      left join memory_entries e on e.owner = b.owner and e.number = any(b.numbers) and e.target is null
    where b.session_id = ${sessionId}::uuid and b.loaded_at is not null`;
  const [first] = rows;
  if (first === undefined) return null;
  const items = rows.filter((row): row is Told & MemoryEntryRow => row.number !== null).map(toMemoryItem);
  return { owner: first.told_to, numbers: first.numbers, instructions: first.instructions, items };
}

/** Returns the item that replaced this one in an edit, or null. */
export async function replacementOf(tx: Tx, owner: string, number: number): Promise<number | null> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    select number from memory_entries
    where owner = ${owner} and number > ${number}::int and replaces = ${number}::int limit 1`;
  return rows[0]?.number ?? null;
}

/** Whether an owner's memory is empty: no items, and no text in documents with these keys. */
export async function isMemoryEmpty(tx: Tx, owner: string, documentKeys: readonly string[]): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_empty: boolean }[]>`
    select not exists (select 1 from memory_entries where owner = ${owner} and target is null and forgotten_by is null)
       and not exists (select 1 from memory_documents where key = any (${[...documentKeys]}::text[]) and size_bytes > 0)
        as is_empty`;
  return rows[0]?.is_empty ?? true;
}

export async function countActive(tx: Tx, owner: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`
    select count(*) from memory_entries where owner = ${owner} and target is null and forgotten_by is null`;
  return Number(rows[0]?.count ?? 0);
}

/** Lists the whole record by number, after the number `after`, at most `limit` entries. */
export async function listEntries(tx: Tx, owner: string, after: number, limit: number): Promise<MemoryEntryRow[]> {
  return tx.$queryRaw<MemoryEntryRow[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
    from memory_entries where owner = ${owner} and number > ${after}::int order by number limit ${limit}::int`;
}

/** An entry that keeps the number and time that it has in a file. */
export interface ImportedEntry {
  readonly number: number;
  readonly kind: string;
  readonly content: string | null;
  readonly target: number | null;
  readonly tags: readonly string[];
  readonly origin: string | null;
  readonly source: unknown;
  readonly by: string;
  readonly at: string;
  readonly replaces: number | null;
  readonly extra: unknown;
}

/**
 * Writes entries unchanged, and their tombstones. The caller must hold the owner's advisory lock, and the numbers must
 * be free.
 */
export async function importEntries(tx: Tx, owner: string, entries: readonly ImportedEntry[]): Promise<void> {
  const payload = storableJson(entries);
  await tx.$executeRaw`
    insert into memory_entries (owner, number, kind, content, target, tags, origin, source, by, at, replaces, extra)
    select ${owner}, e.number, e.kind, e.content, e.target,
           coalesce((select array_agg(t) from jsonb_array_elements_text(e.tags) t), '{}'), e.origin,
           nullif(e.source, 'null'::jsonb), e.by, e.at, e.replaces, nullif(e.extra, 'null'::jsonb)
    from jsonb_to_recordset(${payload}::jsonb)
           as e(number int, kind text, content text, target int, tags jsonb, origin text, source jsonb, by text,
                at timestamptz, replaces int, extra jsonb)`;
}

/** Marks every item that a tombstone names as forgotten. Tombstones may be imported before their targets. */
export async function markAllForgotten(tx: Tx, owner: string): Promise<void> {
  await tx.$executeRaw`
    update memory_entries e set forgotten_by = t.tombstone
    from (select target, min(number) as tombstone from memory_entries
          where owner = ${owner} and kind = 'forget' group by target) t
    where e.owner = ${owner} and e.number = t.target and e.target is null and e.forgotten_by is null`;
}

/** Returns active items of the owner with nearly the same words as `content`, most similar first. */
export async function nearDuplicates(
  tx: Tx,
  owner: string,
  content: string,
  threshold: number,
  limit: number,
): Promise<{ number: number; content: string; similarity: number }[]> {
  await tx.$executeRaw`select set_config('pg_trgm.similarity_threshold', ${String(threshold)}, true)`;
  const text = storable(content);
  return tx.$queryRaw<{ number: number; content: string; similarity: number }[]>`
    select number, content, similarity(content, ${text})::float8 as similarity from memory_entries
    where owner = ${owner} and target is null and forgotten_by is null and content % ${text}
    order by similarity desc, number desc limit ${limit}::int`;
}

/** Lists all owners with entries. */
export async function listOwners(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ owner: string }[]>`select distinct owner from memory_entries order by owner`;
  return rows.map((row) => row.owner);
}
