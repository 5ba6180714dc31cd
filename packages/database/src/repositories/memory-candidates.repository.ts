import { invariant } from '@aish/contracts/invariant';
import {
  CandidateState,
  LikelySecret,
  MemoryKind,
  MemoryOrigin,
  MemorySource,
  NearDuplicate,
  type CandidateState as State,
  type MemoryCandidate,
} from '@aish/contracts/memory';
import type { MemoryCandidateRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

function toCandidate(row: MemoryCandidateRow): MemoryCandidate {
  return {
    number: row.number,
    kind: MemoryKind.parse(row.kind),
    content: row.content,
    tags: row.tags,
    origin: MemoryOrigin.parse(row.origin),
    source: row.source === null ? null : MemorySource.parse(row.source),
    duplicates: NearDuplicate.array().parse(row.duplicates),
    secrets: LikelySecret.array().parse(row.secrets),
    state: CandidateState.parse(row.state),
    itemNumber: row.item_number,
    proposedBy: row.proposed_by,
    at: row.at.toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

export type NewCandidate = Pick<
  MemoryCandidate,
  'kind' | 'content' | 'tags' | 'origin' | 'source' | 'duplicates' | 'secrets' | 'proposedBy'
>;

export async function insertCandidate(tx: Tx, owner: string, input: NewCandidate): Promise<MemoryCandidate> {
  const rows = await tx.$queryRaw<MemoryCandidateRow[]>`
    insert into memory_candidates (owner, kind, content, tags, origin, source, duplicates, secrets, state, proposed_by)
    values (${owner}, ${input.kind}, ${storable(input.content)}, ${input.tags.map(storable)}::text[], ${input.origin},
            ${storableJson(input.source)}::jsonb, ${storableJson(input.duplicates)}::jsonb,
            ${storableJson(input.secrets)}::jsonb, 'pending', ${storable(input.proposedBy)})
    returning *`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  return toCandidate(row);
}

/** Lists candidates in the order of their proposals, oldest first. */
export async function listCandidates(tx: Tx, owner: string, state: State, limit: number): Promise<MemoryCandidate[]> {
  const rows = await tx.$queryRaw<MemoryCandidateRow[]>`
    select * from memory_candidates where owner = ${owner} and state = ${state} order by number limit ${limit}::int`;
  return rows.map(toCandidate);
}

export async function countPendingCandidates(tx: Tx, owner: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`
    select count(*) from memory_candidates where owner = ${owner} and state = 'pending'`;
  return Number(rows[0]?.count ?? 0);
}

export async function findCandidate(tx: Tx, owner: string, number: number): Promise<MemoryCandidate | null> {
  const rows = await tx.$queryRaw<MemoryCandidateRow[]>`
    select * from memory_candidates where owner = ${owner} and number = ${number}::int`;
  return rows[0] === undefined ? null : toCandidate(rows[0]);
}

/** Returns the candidate that became this item, or null. */
export async function candidateOfItem(tx: Tx, owner: string, itemNumber: number): Promise<MemoryCandidate | null> {
  const rows = await tx.$queryRaw<MemoryCandidateRow[]>`
    select * from memory_candidates
    where owner = ${owner} and state = 'accepted' and item_number = ${itemNumber}::int limit 1`;
  return rows[0] === undefined ? null : toCandidate(rows[0]);
}

/**
 * Ends the review of a candidate.
 *
 * @returns the candidate, or null if none with this number waits.
 */
export async function decideCandidate(
  tx: Tx,
  owner: string,
  number: number,
  verdict: { readonly by: string; readonly itemNumber: number | null },
): Promise<MemoryCandidate | null> {
  const state = verdict.itemNumber === null ? 'rejected' : 'accepted';
  const rows = await tx.$queryRaw<MemoryCandidateRow[]>`
    update memory_candidates
    set state = ${state}, item_number = ${verdict.itemNumber}::int, decided_by = ${verdict.by}, decided_at = now()
    where owner = ${owner} and number = ${number}::int and state = 'pending' returning *`;
  return rows[0] === undefined ? null : toCandidate(rows[0]);
}

/**
 * Returns the contents that are not proposed again: everything that was proposed before, accepted or rejected, and
 * everything that the owner has or had as an item. Case, spaces and the full stop at the end make no difference.
 */
export async function contentsSeenBefore(tx: Tx, owner: string, contents: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ n: number }[]>`
    with given as (
      select n, regexp_replace(regexp_replace(lower(content), '\\s+', ' ', 'g'), '[.!;, ]+$', '') as key
      from unnest(${contents.map((each) => storable(each))}::text[]) with ordinality as t(content, n))
    select n::int from given where key in (
      select regexp_replace(regexp_replace(lower(content), '\\s+', ' ', 'g'), '[.!;, ]+$', '') from memory_candidates
      where owner = ${owner}
      union all
      select regexp_replace(regexp_replace(lower(content), '\\s+', ' ', 'g'), '[.!;, ]+$', '') from memory_entries
      where owner = ${owner} and target is null)`;
  return rows.flatMap(({ n }) => contents[n - 1] ?? []);
}
