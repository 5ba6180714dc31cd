import type { HostFolderOffer } from '@aish/contracts/host-folders';
import { AishError } from '@aish/contracts/problems';
import { hostFolderOffers, type Sandbox } from '@aish/sandbox-client';

/** Folders of the host that goals and chats ask for by name. */
export class HostFolders {
  constructor(private readonly sandbox: Pick<Sandbox, 'describe'>) {}

  /** Those of them that there are; none while the sandbox is away. */
  async offers(names: readonly string[]): Promise<readonly HostFolderOffer[]> {
    if (names.length === 0) return [];
    return ((await hostFolderOffers(this.sandbox)) ?? []).filter(({ name }) => names.includes(name));
  }

  /**
   * What the folders are that are asked for. A sandbox that is away says nothing now; it refuses the commands later.
   * @throws AishError `mount_not_allowed` with the names that are
   */
  async check(names: readonly string[]): Promise<readonly HostFolderOffer[]> {
    if (names.length === 0) return [];
    const offers = await hostFolderOffers(this.sandbox);
    if (offers === null) return [];
    const allowed = offers.map(({ name }) => name);
    const unknown = names.find((name) => !allowed.includes(name));
    if (unknown === undefined) return offers.filter(({ name }) => names.includes(name));
    const offer = allowed.length === 0 ? 'none is' : `allowed: ${allowed.join(', ')}`;
    throw new AishError('mount_not_allowed', `The host folder ${unknown} is not allowed; ${offer}`, { allowed });
  }
}
