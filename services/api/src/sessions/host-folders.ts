import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { HostFolderOffer } from '@aish/contracts/host-folders';
import { AishError } from '@aish/contracts/problems';
import { hostFolderOffers, type Sandbox } from '@aish/sandbox-client';

/** Knows the host folders that goals and chats ask for by name. */
@Injectable()
export class HostFolders {
  constructor(@Part('sandbox') private readonly sandbox: Pick<Sandbox, 'describe'>) {}

  /** Returns the existing folders among the names, or none while the sandbox is unavailable. */
  async offers(names: readonly string[]): Promise<readonly HostFolderOffer[]> {
    if (names.length === 0) return [];
    return ((await hostFolderOffers(this.sandbox)) ?? []).filter(({ name }) => names.includes(name));
  }

  /** Returns the folders with direct writes among the names, or none while the sandbox is unavailable. */
  async direct(names: readonly string[]): Promise<readonly string[]> {
    return (await this.offers(names)).filter(({ mode }) => mode === 'direct').map(({ name }) => name);
  }

  /**
   * Checks requested folders. While the sandbox is unavailable nothing is reported, and the sandbox refuses the
   * commands later. @throws AishError `mount_not_allowed` with the existing names, or with the reason why changes of a
   * folder cannot be held
   */
  async check(names: readonly string[]): Promise<readonly HostFolderOffer[]> {
    if (names.length === 0) return [];
    const offers = await hostFolderOffers(this.sandbox);
    if (offers === null) return [];
    const allowed = offers.map(({ name }) => name);
    const unknown = names.find((name) => !allowed.includes(name));
    if (unknown === undefined) {
      const asked = offers.filter(({ name }) => names.includes(name));
      refuseUnfit(asked);
      return asked;
    }
    const offer = allowed.length === 0 ? 'none is' : `allowed: ${allowed.join(', ')}`;
    throw new AishError('mount_not_allowed', `The host folder ${unknown} is not allowed; ${offer}`, { allowed });
  }
}

function refuseUnfit(asked: readonly HostFolderOffer[]): void {
  for (const { name, whyNotHeld } of asked) {
    if (whyNotHeld === null) continue;
    const message = `Changes in the host folder ${name} cannot be held (${whyNotHeld}). An admin can set its mode to read-only or direct in SANDBOX_HOST_FOLDERS`;
    throw new AishError('mount_not_allowed', message, { name });
  }
}
