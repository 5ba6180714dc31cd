import type { EvidenceList, HostEvidence } from '@aish/contracts/evidence';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** Maximum number of entries per session. The oldest are deleted. */
const KEPT_MAX = 20;
const TEXT_MAX_CHARS = 256 * 1024;
const COMMAND_MAX_CHARS = 2_000;

export interface NewEvidence {
  readonly id: string;
  readonly sessionId: string;
  readonly actionId: string;
  readonly host: string;
  readonly command: string;
  readonly subjects: readonly string[];
  readonly text: string;
  readonly failed: string | null;
}

/** Stores the evidence that was read on a host, and deletes the oldest entries above the limit. */
export async function insertEvidence(tx: Tx, row: NewEvidence): Promise<void> {
  await tx.$executeRaw`
    insert into host_evidence (id, session_id, action_id, host, command, subjects, text, failed)
    values (${row.id}::uuid, ${row.sessionId}::uuid, ${row.actionId}::uuid, ${row.host},
            ${storable(row.command.slice(0, COMMAND_MAX_CHARS))}, ${row.subjects.map(storable)}::text[],
            ${storable(row.text.slice(0, TEXT_MAX_CHARS))}, ${row.failed === null ? null : storable(row.failed)})
    on conflict (id) do nothing`;
  await tx.$executeRaw`
    delete from host_evidence where id in (
      select id from host_evidence where session_id = ${row.sessionId}::uuid
      order by at desc, id offset ${KEPT_MAX}::int)`;
}

type Read = Omit<HostEvidence, 'at'> & { readonly at: Date };

/** Lists the evidence that was read on hosts in a session, oldest first, without the texts. */
export async function listEvidence(tx: Tx, sessionId: string): Promise<HostEvidence[]> {
  const rows = await tx.$queryRaw<Read[]>`
    select id, action_id as "actionId", host, command, subjects, failed, length(text) as chars, at
    from host_evidence where session_id = ${sessionId}::uuid order by at, id`;
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Lists the evidence of a session with its texts. */
export async function listWholeEvidence(tx: Tx, sessionId: string): Promise<EvidenceList['items']> {
  const rows = await tx.$queryRaw<(Read & { readonly text: string })[]>`
    select id, action_id as "actionId", host, command, subjects, failed, length(text) as chars, at, text
    from host_evidence where session_id = ${sessionId}::uuid order by at, id`;
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
