import { BACKUP_MEDIA_TYPE, Restored } from '@aish/contracts/backup';
import type { Transport } from './transport.js';

/** Time for a restore: every row and file of years. */
const RESTORE_TIMEOUT_MS = 3_600_000;

/** The bytes of a backup, as the server makes it. @param workspaces `none`, `all` or ids with commas */
export function downloadBackup(
  transport: Transport,
  workspaces: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  return transport.bytes({ path: `/v1/backup?workspaces=${encodeURIComponent(workspaces)}` }, signal);
}

export function uploadBackup(
  transport: Transport,
  archive: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<Restored> {
  const headers = { 'content-type': BACKUP_MEDIA_TYPE };
  const request = {
    method: 'POST',
    path: '/v1/restore',
    upload: archive,
    headers,
    timeoutMs: RESTORE_TIMEOUT_MS,
  } as const;
  return transport.json(Restored, request, signal);
}
