import type { Tx } from '../tx.js';

/** Returns the fingerprints that tools had at their last approval, by label. */
export async function findApprovals(tx: Tx, labels: readonly string[]): Promise<Record<string, string>> {
  const rows = await tx.$queryRaw<{ label: string; fingerprint: string }[]>`
    select label, fingerprint from tool_approvals where label = any(${labels}::text[])`;
  return Object.fromEntries(rows.map(({ label, fingerprint }) => [label, fingerprint]));
}

/** Stores the current fingerprint of a tool. */
export async function saveApproval(tx: Tx, label: string, fingerprint: string, by: string): Promise<void> {
  await tx.$executeRaw`
    insert into tool_approvals (label, fingerprint, approved_by) values (${label}, ${fingerprint}, ${by})
    on conflict (label) do update set fingerprint = excluded.fingerprint, approved_by = excluded.approved_by,
      approved_at = now() where tool_approvals.fingerprint <> excluded.fingerprint`;
}
