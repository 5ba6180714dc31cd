import type { HostFolderOffer } from '@aish/contracts/host-folders';
import { isAishError } from '@aish/contracts/problems';
import type { Sandbox } from './sandbox.port.js';

const DESCRIBE_TIMEOUT_MS = 3_000;

/** Folders of the host that commands may be given; null: the sandbox is away and says nothing now. */
export async function hostFolderOffers(sandbox: Pick<Sandbox, 'describe'>): Promise<readonly HostFolderOffer[] | null> {
  try {
    return (await sandbox.describe(AbortSignal.timeout(DESCRIBE_TIMEOUT_MS))).hostFolders;
  } catch (error) {
    if (!isAishError(error)) throw error;
    return null;
  }
}
