import type { Tx } from '../tx.js';

/** Which model made a vector, and how many numbers it has: others cannot be compared with it. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number;
}

export interface StoredVector extends VectorKind {
  readonly number: number;
  readonly seq: bigint;
  readonly vector: Uint8Array;
}

/** Active items of anyone that have no vector of this kind, the newest first. */
export function itemsWithoutVector(
  tx: Tx,
  { model, dimensions }: VectorKind,
  limit: number,
): Promise<{ readonly owner: string; readonly number: number; readonly content: string }[]> {
  return tx.$queryRaw`
    select e.owner, e.number, e.content from memory_entries e
      left join memory_vectors v on v.owner = e.owner and v.number = e.number
    where e.target is null and e.forgotten_by is null
      and (v.number is null or v.model <> ${model} or v.dimensions <> ${dimensions}::int)
    order by e.at desc, e.number desc limit ${limit}::int`;
}

export async function putVectors(
  tx: Tx,
  { model, dimensions }: VectorKind,
  rows: readonly { readonly owner: string; readonly number: number; readonly vector: Int8Array }[],
): Promise<void> {
  const vectors = rows.map(({ vector }) =>
    Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('hex'),
  );
  await tx.$executeRaw`
    insert into memory_vectors (owner, number, model, dimensions, vector)
    select owner, number, ${model}, ${dimensions}::int, decode(hex, 'hex')
    from unnest(${rows.map(({ owner }) => owner)}::text[], ${rows.map(({ number }) => number)}::int[], ${vectors}::text[])
      as made(owner, number, hex)
    on conflict (owner, number) do update
    set model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector,
        seq = nextval('memory_vectors_seq_seq')`;
}

/** What was written for an owner's active items after `seq`, in order. */
export function vectorsAfter(tx: Tx, owner: string, seq: bigint, limit: number): Promise<StoredVector[]> {
  return tx.$queryRaw`
    select v.number, v.model, v.dimensions, v.vector, v.seq
    from memory_vectors v join memory_entries e on e.owner = v.owner and e.number = v.number
    where v.owner = ${owner} and v.seq > ${String(seq)}::bigint and e.forgotten_by is null
    order by v.seq limit ${limit}::int`;
}
