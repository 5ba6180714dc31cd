import type { Tx } from '../tx.js';

/** The model of a vector, and its number of dimensions. It can only be compared with vectors of the same kind. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number;
}

export interface StoredVector extends VectorKind {
  readonly key: number;
  readonly seq: bigint;
  readonly vector: Uint8Array;
}

/** An item that has or needs a vector. Keys are unique on their shelf. */
export interface Shelved {
  readonly shelf: string;
  readonly key: number;
}

/** A table that stores vectors beside their texts. */
export interface VectorTable {
  /** Lists texts without a vector of this kind, newest first. */
  missing(tx: Tx, kind: VectorKind, limit: number): Promise<(Shelved & { readonly content: string })[]>;
  put(tx: Tx, kind: VectorKind, rows: readonly (Shelved & { readonly vector: Int8Array })[]): Promise<void>;
  /** Lists the vectors written for a shelf after `seq`, in order. */
  after(tx: Tx, shelf: string, seq: bigint, limit: number): Promise<StoredVector[]>;
}

/** Vectors of active items. A shelf is an owner. */
export const ITEM_VECTORS: VectorTable = {
  missing: (tx, { model, dimensions }, limit) => tx.$queryRaw`
    select e.owner as shelf, e.number as key, concat_ws(E'\n', e.content, e.questions) as content from memory_entries e
      left join memory_vectors v on v.owner = e.owner and v.number = e.number
    where e.target is null and e.forgotten_by is null
      and (v.number is null or v.model <> ${model} or v.dimensions <> ${dimensions}::int)
    order by e.at desc, e.number desc limit ${limit}::int`,

  put: async (tx, { model, dimensions }, rows) => {
    await tx.$executeRaw`
      insert into memory_vectors (owner, number, model, dimensions, vector)
      select shelf, key, ${model}, ${dimensions}::int, decode(hex, 'hex')
      from unnest(${shelves(rows)}::text[], ${keys(rows)}::int[], ${hexes(rows)}::text[]) as made(shelf, key, hex)
      where exists (select from memory_entries e where e.owner = shelf and e.number = key)
      on conflict (owner, number) do update
      set model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector,
          seq = nextval('memory_vectors_seq_seq')`;
  },

  after: (tx, shelf, seq, limit) => tx.$queryRaw`
    select v.number as key, v.model, v.dimensions, v.vector, v.seq
    from memory_vectors v join memory_entries e on e.owner = v.owner and e.number = v.number
    where v.owner = ${shelf} and v.seq > ${String(seq)}::bigint and e.forgotten_by is null
    order by v.seq limit ${limit}::int`,
};

/**
 * Vectors of the chunks that recall searches, on their own shelves. A title is not repeated, because that would shift
 * the meaning.
 */
export const TEXT_VECTORS: VectorTable = {
  missing: (tx, { model, dimensions }, limit) => tx.$queryRaw`
    select t.shelf, t.id as key,
           concat_ws(E'\n', case when not starts_with(t.content, t.title) then t.title end, t.content, t.questions) as content
    from recall_texts t left join recall_vectors v on v.text_id = t.id
    where v.text_id is null or v.model <> ${model} or v.dimensions <> ${dimensions}::int
    order by t.at desc, t.id desc limit ${limit}::int`,

  put: async (tx, { model, dimensions }, rows) => {
    await tx.$executeRaw`
      insert into recall_vectors (text_id, shelf, model, dimensions, vector)
      select t.id, t.shelf, ${model}, ${dimensions}::int, decode(hex, 'hex')
      from unnest(${keys(rows)}::int[], ${hexes(rows)}::text[]) as made(key, hex) join recall_texts t on t.id = key
      on conflict (text_id) do update
      set model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector,
          seq = nextval('recall_vectors_seq_seq')`;
  },

  after: (tx, shelf, seq, limit) => tx.$queryRaw`
    select text_id as key, model, dimensions, vector, seq from recall_vectors
    where shelf = ${shelf} and seq > ${String(seq)}::bigint order by seq limit ${limit}::int`,
};

function shelves(rows: readonly Shelved[]): string[] {
  return rows.map(({ shelf }) => shelf);
}

function keys(rows: readonly Shelved[]): number[] {
  return rows.map(({ key }) => key);
}

function hexes(rows: readonly { readonly vector: Int8Array }[]): string[] {
  return rows.map(({ vector }) => Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('hex'));
}
