import { backupApi } from '@aish/contracts/endpoints/server';
import type { ApiClient } from '@aish/client/api.client';
import { requestTo } from '@aish/client/http.client';
import { open, rename, rm } from 'node:fs/promises';

/** Writes a backup of the server to a file, under a temporary name until it is complete. */
export async function saveBackup(
  client: ApiClient,
  file: string,
  workspaces: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const bytes = client.bytes(requestTo(backupApi.make, { query: { workspaces } }), signal);
  const part = `${file}.part`;
  await rm(part, { force: true });
  // In a folder that others can write, somebody could put a link there.
  const handle = await open(part, 'wx', 0o600);
  try {
    for await (const chunk of bytes) await handle.write(chunk);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
  await handle.close();
  await rename(part, file);
}
