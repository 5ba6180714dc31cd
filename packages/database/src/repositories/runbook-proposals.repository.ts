import { ProposalState, type RunbookProposal } from '@aish/contracts/runbooks';
import type { RunbookProposalRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

export type ProposalRecord = RunbookProposal & {
  readonly text: string;
  /** The digest of the runbook for which it was proposed; null if there was none. */
  readonly proposedFor: string | null;
};

type ProposalRow = RunbookProposalRow & { readonly goal: number | null; readonly session: number | null };

function toProposal(row: ProposalRow): ProposalRecord {
  const { number, name, text, why, digest, goal, session, at, decided_by: decidedBy, decided_at: decidedAt } = row;
  return {
    number,
    name,
    text,
    why,
    proposedFor: digest,
    from: goal === null ? chatName(session) : `g${goal}`,
    state: ProposalState.parse(row.state),
    at: at.toISOString(),
    decidedBy,
    decidedAt: decidedAt?.toISOString() ?? null,
  };
}

/** Blocks other proposals until this transaction ends, so that the counts stay correct. */
export async function lockProposals(tx: Tx): Promise<void> {
  await tx.$executeRaw`lock table runbook_proposals in share row exclusive mode`;
}

/**
 * Counts the proposals that wait, for this runbook and for all, and says whether this text waits or was rejected
 * before.
 */
export async function countProposals(
  tx: Tx,
  name: string,
  text: string,
): Promise<{ readonly own: number; readonly all: number; readonly same: number | null; readonly dropped: boolean }> {
  const rows = await tx.$queryRaw<{ own: number; all: number; same: number | null; dropped: boolean | null }[]>`
    select count(*) filter (where state = 'pending' and name = ${name})::int as own,
           count(*) filter (where state = 'pending')::int as all,
           max(number) filter (where state = 'pending' and name = ${name} and text = ${storable(text)}) as same,
           bool_or(state = 'rejected' and name = ${name} and text = ${storable(text)}) as dropped
    from runbook_proposals`;
  const { own = 0, all = 0, same = null, dropped } = rows[0] ?? {};
  return { own, all, same, dropped: dropped ?? false };
}

/** @returns the number of the proposal. */
export async function insertProposal(
  tx: Tx,
  input: Pick<ProposalRecord, 'name' | 'text' | 'why' | 'proposedFor'> & { readonly sessionId: string },
): Promise<number> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    insert into runbook_proposals (name, text, why, digest, session_id)
    values (${input.name}, ${storable(input.text)}, ${storable(input.why)}, ${input.proposedFor}, ${input.sessionId}::uuid)
    returning number`;
  return rows[0]?.number ?? 0;
}

/** Lists waiting proposals, oldest first. */
export async function listProposals(tx: Tx): Promise<ProposalRecord[]> {
  const rows = await tx.$queryRaw<ProposalRow[]>`
    select p.*, g.number as goal, s.number as session from runbook_proposals p
    left join sessions s on s.id = p.session_id left join goals g on g.session_id = p.session_id
    where p.state = 'pending' order by p.number`;
  return rows.map(toProposal);
}

/** @param lock prevents others from deciding about the proposal until the transaction ends. */
export async function findProposal(tx: Tx, number: number, lock = false): Promise<ProposalRecord | null> {
  if (lock) await tx.$executeRaw`select 1 from runbook_proposals where number = ${number}::int for update`;
  const rows = await tx.$queryRaw<ProposalRow[]>`
    select p.*, g.number as goal, s.number as session from runbook_proposals p
    left join sessions s on s.id = p.session_id left join goals g on g.session_id = p.session_id
    where p.number = ${number}::int`;
  return rows[0] === undefined ? null : toProposal(rows[0]);
}

/** Ends the review of a waiting proposal. */
export async function decideProposal(
  tx: Tx,
  number: number,
  { state, by }: { readonly state: 'accepted' | 'rejected'; readonly by: string },
): Promise<void> {
  await tx.$executeRaw`
    update runbook_proposals set state = ${state}, decided_by = ${storable(by)}, decided_at = now()
    where number = ${number}::int and state = 'pending'`;
}

function chatName(session: number | null): string | null {
  return session === null ? null : `c${session}`;
}
