import { endpoint } from '../endpoint.js';
import { BACKUP_MEDIA_TYPE, MakeBackup, Restored } from '../backup.js';

export const backupApi = {
  make: endpoint('GET /v1/backup', {
    scope: 'admin',
    summary: 'Everything that aish knows, in one file',
    query: MakeBackup,
    answer: BACKUP_MEDIA_TYPE,
  }),
  restore: endpoint('POST /v1/restore', {
    scope: 'admin',
    summary: 'Put a backup into an empty aish',
    body: BACKUP_MEDIA_TYPE,
    answer: Restored,
  }),
};
