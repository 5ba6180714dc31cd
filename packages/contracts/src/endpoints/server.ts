import { AuditCheck, AuditList, CheckAudit, ListAudit } from '../audit.js';
import { BACKUP_MEDIA_TYPE, MakeBackup, Restored } from '../backup.js';
import { AppliedConfig, ApplyConfig, ConfigDocument } from '../config-document.js';
import { DoctorReport } from '../doctor.js';
import { endpoint } from '../endpoint.js';
import { MODEL, NEW_WORK } from '../endpoint-problems.js';
import { PresetName } from '../goals.js';
import { Health } from '../health.js';
import { Model, ModelList } from '../models.js';
import { ShownSettingList } from '../shown-settings.js';

export const healthApi = {
  check: endpoint('GET /v1/health', {
    scope: 'nothing',
    summary: 'Check that aish is up; needs no token. 503 if the database is unavailable',
    answer: Health,
    alsoFine: [503],
  }),
};

export const doctorApi = {
  examine: endpoint('GET /v1/doctor', {
    scope: 'admin',
    summary: 'Check everything that aish depends on, with advice',
    answer: DoctorReport,
    timeoutMs: 30_000,
  }),
};

export const settingsApi = {
  list: endpoint('GET /v1/settings', {
    scope: 'admin',
    summary: 'List the api’s settings with their sources and meanings; for secrets, only whether they are set',
    answer: ShownSettingList,
  }),
};

export const configApi = {
  show: endpoint('GET /v1/config', {
    scope: 'admin',
    summary: 'Show the setup as one document, without the values of secrets',
    answer: ConfigDocument,
    problems: ['hosts_off'],
  }),
  apply: endpoint('POST /v1/config', {
    scope: 'admin',
    summary: 'Apply a setup document, all or nothing; a dry run only returns the changes',
    body: ApplyConfig,
    answer: AppliedConfig,
    timeoutMs: 120_000,
    problems: ['config_changed', 'name_taken', 'hosts_off', 'host_unreachable', ...NEW_WORK],
  }),
};

export const modelsApi = {
  list: endpoint('GET /v1/models', {
    scope: 'observe',
    summary: 'List the presets, and whether their endpoints are ready',
    answer: ModelList,
  }),
  probe: endpoint('POST /v1/models/:preset/probe', {
    scope: 'operate',
    summary: 'Probe the capabilities of a preset’s model again',
    params: { preset: PresetName },
    answer: Model,
    timeoutMs: 120_000,
    problems: MODEL,
  }),
};

export const backupApi = {
  make: endpoint('GET /v1/backup', {
    scope: 'admin',
    summary: 'Download a backup',
    query: MakeBackup,
    answer: BACKUP_MEDIA_TYPE,
    problems: ['locked', 'file_not_found'],
  }),
  restore: endpoint('POST /v1/restore', {
    scope: 'admin',
    summary: 'Restore a backup into an empty aish',
    body: BACKUP_MEDIA_TYPE,
    answer: Restored,
    timeoutMs: 3_600_000,
    problems: ['backup_broken', 'not_empty', 'database_older', 'database_newer', 'migration_failed', 'locked'],
  }),
};

export const auditApi = {
  check: endpoint('GET /v1/audit/check', {
    scope: 'admin',
    summary: 'Verify that the audit log is unaltered',
    query: CheckAudit,
    answer: AuditCheck,
  }),
  list: endpoint('GET /v1/audit', {
    scope: 'admin',
    summary: 'List audit entries (verdicts, tokens, policy changes), newest first',
    query: ListAudit,
    answer: AuditList,
  }),
};
