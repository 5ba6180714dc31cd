import type { HostFolderOffer } from '@aish/contracts/host-folders';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Sandbox } from '@aish/sandbox-client';

const DESCRIBE_TIMEOUT_MS = 3_000;

/** Folders of the host that goals and chats ask for by name. */
export class HostFolders {
  constructor(private readonly sandbox: Pick<Sandbox, 'describe'>) {}

  /**
   * What the folders are that are asked for. A sandbox that is away says nothing now; it refuses the commands later.
   * @throws AishError `mount_not_allowed` with the names that are
   */
  async check(names: readonly string[]): Promise<readonly HostFolderOffer[]> {
    if (names.length === 0) return [];
    let offers: readonly HostFolderOffer[];
    try {
      offers = (await this.sandbox.describe(AbortSignal.timeout(DESCRIBE_TIMEOUT_MS))).hostFolders;
    } catch (error) {
      if (!isAishError(error)) throw error;
      return [];
    }
    const allowed = offers.map(({ name }) => name);
    const unknown = names.find((name) => !allowed.includes(name));
    if (unknown === undefined) return offers.filter(({ name }) => names.includes(name));
    const offer = allowed.length === 0 ? 'none is' : `allowed: ${allowed.join(', ')}`;
    throw new AishError('mount_not_allowed', `The host folder ${unknown} is not allowed; ${offer}`, { allowed });
  }
}

/** For the model, which sees no configuration. */
export function folderNotice(folders: readonly HostFolderOffer[]): string {
  if (folders.length === 0) return '[aish] commands find no folders of the host';
  const lines = folders.map(
    ({ containerPath, readOnly }) => `${containerPath} (${readOnly ? 'read-only' : 'writable'})`,
  );
  return `[aish] folders of the host that commands find: ${lines.join(', ')}`;
}
