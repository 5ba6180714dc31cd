import { endpoint } from '../endpoint.js';
import { AuditCheck, AuditList, CheckAudit, ListAudit } from '../audit.js';

export const auditApi = {
  check: endpoint('GET /v1/audit/check', {
    scope: 'admin',
    summary: 'Whether the audit log is what was written',
    query: CheckAudit,
    answer: AuditCheck,
  }),
  list: endpoint('GET /v1/audit', {
    scope: 'admin',
    summary: 'Verdicts, tokens and policy changes, newest first',
    query: ListAudit,
    answer: AuditList,
  }),
};
