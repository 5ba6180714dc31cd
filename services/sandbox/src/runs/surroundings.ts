import type { RunRequest } from '@aish/contracts';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { HostFolders } from '../host-folders/host-folders.js';
import type { ConnectionLog } from '../network/connection-log.js';
import type { NetworkGate } from '../network/network.gate.js';

/** What the container of a run finds around it, by the policy and the allowlist as they are now. */
export class Surroundings {
  constructor(
    private readonly gate: NetworkGate,
    private readonly hostFolders: HostFolders,
  ) {}

  /** @throws AishError `mount_not_allowed`, `mount_missing`, `invalid_config`, `engine_unavailable` */
  async of(
    request: Pick<RunRequest, 'workspaceId' | 'hostFolders'>,
  ): Promise<Required<Pick<NewWorkplace, 'network' | 'hostMounts'>>> {
    const hostMounts = await this.hostFolders.mountsFor(request.hostFolders);
    return { hostMounts, network: await this.gate.mountFor(request.workspaceId) };
  }

  /** Lets a run of this workspace reach out as its policy says, until what is returned is called. */
  join(workspaceId: string, log: ConnectionLog): Promise<() => void> {
    return this.gate.join(workspaceId, log);
  }
}
