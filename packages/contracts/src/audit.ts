import * as z from 'zod';

/** The kinds of entries in the audit log: verdicts, and changes of tokens and policies. */
export const AuditAction = z.enum([
  'verdict.given',
  'verdict.approved',
  'verdict.taken_back',
  'action.undone',
  'command.run',
  'schedule.added',
  'schedule.removed',
  'knowledge.secret_allowed',
  'token.created',
  'token.revoked',
  'device.approved',
  'device.denied',
  'messenger.bound',
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
  'host.way_back',
  'event_source.added',
  'event_source.removed',
  'event_rule.added',
  'event_rule.removed',
  'runbook.put',
  'runbook.accepted',
  'runbook.adopted',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * One entry of the audit log. The log is append-only. An entry is written in the same transaction as the event that it
 * records.
 */
export const AuditEntry = z
  .object({
    n: z.int(),
    at: z.iso.datetime(),
    /** The name of the token that was used. */
    actor: z.string(),
    action: AuditAction,
    /** The thing that the actor changed, by the name that people use: `d3`, the name of a token, a session. */
    subject: z.string(),
    facts: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Whether the audit log is unchanged. Each entry is sealed with a hash of all earlier entries. */
export const AuditCheck = z
  .object({
    entries: z.int(),
    /** Number of sealed entries. New entries are sealed within seconds. */
    sealed: z.int(),
    /** The hash of the newest sealed entry. A copy kept elsewhere proves that no earlier entry has changed since. */
    head: z.string().nullable(),
    /** Whether the chain contains the hash that the caller asked for; null if the caller asked for none. */
    knowsHead: z.boolean().nullable(),
    /** The first entry that differs from its seal or follows a gap; null if the chain is intact. */
    brokenAt: z.int().nullable(),
  })
  .meta({ id: 'AuditCheck' });
export type AuditCheck = z.infer<typeof AuditCheck>;

export const CheckAudit = z.object({
  /** A hash that an earlier check returned as `head`. */
  head: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type CheckAudit = z.infer<typeof CheckAudit>;

export const ListAudit = z.object({
  action: AuditAction.optional(),
  /** Returns only entries before this number. Lists are newest first, so this gives the next page. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditList = z.object({ items: z.array(AuditEntry) }).meta({ id: 'AuditList' });
export type AuditList = z.infer<typeof AuditList>;
