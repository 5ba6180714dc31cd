import { MEMORY_CONTENT_MAX_CHARS } from '@aish/contracts/limits';
import { MemoryKind, MemoryOrigin, type ImportReport } from '@aish/contracts/memory';
import type { ImportedEntry, MemoryEntryRow } from '@aish/database/memory-items.repository';
import { z } from 'zod';

/** Fields of a line that have a column. All other fields are stored unchanged. */
const KNOWN = new Set(['id', 'ts', 'kind', 'content', 'target', 'tags', 'source', 'origin', 'by', 'replaces']);
const NUMBER_MAX = 1_000_000_000;

const id = z.int().min(1).max(NUMBER_MAX);
const common = { id, ts: z.iso.datetime({ offset: true }), by: z.string().max(256).optional() };
const Item = z.object({
  ...common,
  kind: MemoryKind,
  content: z.string().trim().min(1).max(MEMORY_CONTENT_MAX_CHARS),
  tags: z.array(z.string().min(1).max(256)).max(256).default([]),
  source: z.unknown().optional(),
  origin: MemoryOrigin.default('imported'),
  replaces: id.nullable().default(null),
});
const Tombstone = z.object({ ...common, kind: z.literal('forget'), target: id });
const Line = z.discriminatedUnion('kind', [Item, Tombstone]);

export interface NumberedEntry extends ImportedEntry {
  /** The number of the line in the file. */
  readonly line: number;
}

/**
 * Parses a `memory.jsonl`. Empty lines and lines with a `meta` header are skipped. Broken lines are reported and
 * omitted.
 *
 * @param by the importing person, who is the author of lines without one.
 */
export function parseMemoryFile(
  text: string,
  by: string,
): { readonly entries: readonly NumberedEntry[]; readonly broken: ImportReport['broken'] } {
  const entries: NumberedEntry[] = [];
  const broken: ImportReport['broken'] = [];
  const taken = new Set<number>();
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = at + 1;
    const source = at === 0 ? raw.replace(/^\uFEFF/, '') : raw;
    if (source.trim() === '') continue;
    const entry = parseLine(source, by, line);
    if (entry === 'header') continue;
    if (typeof entry === 'string') broken.push({ line, reason: entry });
    else if (taken.has(entry.number)) broken.push({ line, reason: `number ${entry.number} occurs earlier` });
    else {
      taken.add(entry.number);
      entries.push(entry);
    }
  }
  return { entries, broken };
}

function parseLine(source: string, by: string, line: number): NumberedEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return 'not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
  if ('meta' in value && !('id' in value)) return 'header';
  const parsed = Line.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not an entry'}`;
  }
  const unknown = Object.entries(value).filter(([key]) => !KNOWN.has(key));
  const { data } = parsed;
  const shared = {
    line,
    number: data.id,
    at: data.ts,
    by: data.by ?? by,
    extra: unknown.length === 0 ? null : Object.fromEntries(unknown),
  };
  return data.kind === 'forget'
    ? {
        ...shared,
        kind: 'forget',
        content: null,
        target: data.target,
        tags: [],
        origin: null,
        source: null,
        replaces: null,
      }
    : {
        ...shared,
        kind: data.kind,
        content: data.content,
        target: null,
        tags: data.tags,
        origin: data.origin,
        source: data.source ?? null,
        replaces: data.replaces,
      };
}

/** Formats one entry as a line of a `memory.jsonl`, without its line break. */
export function formatEntry(row: MemoryEntryRow): string {
  const { extra } = row;
  return JSON.stringify({
    id: row.number,
    ts: row.at.toISOString().replace('.000Z', 'Z'),
    kind: row.kind,
    ...(row.content === null ? {} : { content: row.content }),
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.tags.length === 0 ? {} : { tags: row.tags }),
    ...(row.source === null ? {} : { source: row.source }),
    ...(row.origin === null ? {} : { origin: row.origin }),
    by: row.by,
    ...(row.replaces === null ? {} : { replaces: row.replaces }),
    ...(typeof extra === 'object' && extra !== null ? extra : {}),
  });
}
