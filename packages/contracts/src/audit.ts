import { z } from 'zod';

/** What is written down about who did it: verdicts, tokens and policies. */
export const AuditAction = z.enum([
  'verdict.given',
  'knowledge.secret_allowed',
  'token.created',
  'token.revoked',
  'device.approved',
  'device.denied',
  'network.changed',
  'image.set',
  'image.rebuilt',
  'image.removed',
  'secret.set',
  'secret.removed',
  'secrets.changed',
  'grant.given',
  'grant.revoked',
  'mcp.connected',
  'mcp.disconnected',
  'backup.made',
  'backup.restored',
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
  'event_source.added',
  'event_source.removed',
  'event_rule.added',
  'event_rule.removed',
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

export const ListAudit = z.object({
  action: AuditAction.optional(),
  /** Only entries before this number: the next page of a list that is newest first. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditList = z.object({ items: z.array(AuditEntry) }).meta({ id: 'AuditList' });
export type AuditList = z.infer<typeof AuditList>;
