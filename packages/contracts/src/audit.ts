import * as z from 'zod';

/** What is written down about who did it: verdicts, tokens and policies. */
export const AuditAction = z.enum([
  'verdict.given',
  'verdict.approved',
  'verdict.taken_back',
  'knowledge.secret_allowed',
  'token.created',
  'token.revoked',
  'device.approved',
  'device.denied',
  'network.changed',
  'image.set',
  'image.rebuilt',
  'image.removed',
  'reach.given',
  'secret.set',
  'secret.removed',
  'secrets.changed',
  'grant.given',
  'grant.revoked',
  'mcp.connected',
  'mcp.disconnected',
  'backup.made',
  'backup.restored',
  'brief.rules_changed',
  'brief.schedule_changed',
  'finding.muted',
  'goal.deleted',
  'session.deleted',
  'space.set',
  'space.removed',
  'host.added',
  'host.trusted',
  'host.changed',
  'host.removed',
  'host.signed',
  'host.refused',
  'host.ended',
  'host.evidence',
  'event_source.added',
  'event_source.removed',
  'event_rule.added',
  'event_rule.removed',
  'runbook.put',
  'runbook.accepted',
  'runbook.adopted',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/** One line of the audit log. Append-only; written in the transaction of what it tells. */
export const AuditEntry = z
  .object({
    n: z.int(),
    at: z.iso.datetime(),
    /** The name of the token that did it. */
    actor: z.string(),
    action: AuditAction,
    /** What it was done to, as people name it: `d-3`, the name of a token, a session. */
    subject: z.string(),
    facts: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Whether the audit log is what was written: each entry is sealed with a hash of all that came before it. */
export const AuditCheck = z
  .object({
    entries: z.int(),
    /** Those in the chain; the newest follow within seconds. */
    sealed: z.int(),
    /** The hash of the newest. Kept elsewhere, it shows that nothing before it was changed since. */
    head: z.string().nullable(),
    /** Whether the hash that was asked for is in the chain; null when none was. */
    knowsHead: z.boolean().nullable(),
    /** The first entry that is not what was sealed, or before which some are missing; null: the chain is whole. */
    brokenAt: z.int().nullable(),
  })
  .meta({ id: 'AuditCheck' });
export type AuditCheck = z.infer<typeof AuditCheck>;

export const CheckAudit = z.object({
  /** A hash that was the newest once. */
  head: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type CheckAudit = z.infer<typeof CheckAudit>;

export const ListAudit = z.object({
  action: AuditAction.optional(),
  /** Only entries before this number: the next page of a list that is newest first. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditList = z.object({ items: z.array(AuditEntry) }).meta({ id: 'AuditList' });
export type AuditList = z.infer<typeof AuditList>;
