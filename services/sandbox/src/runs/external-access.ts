import type { RunRequest } from '@aish/contracts/runs';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { HostFolders } from '../host-folders/host-folders.js';
import type { SshBridge } from '../hosts/ssh.bridge.js';
import type { NetworkGate } from '../network/network.gate.js';
import type { ContainerAccess } from '../engine/container-access.js';
import type { Run } from './run.js';

type Ways = Pick<NewWorkplace, 'hostMounts' | 'heldFolders' | 'network' | 'hosts'>;

/**
 * Manages everything outside their workspace that commands can reach: the network, hosts, and folders of this machine.
 */
export class ExternalAccess {
  constructor(
    private readonly gate: NetworkGate,
    private readonly bridge: SshBridge,
    private readonly hostFolders: HostFolders,
    private readonly containerAccess: Pick<ContainerAccess, 'require'>,
  ) {}

  /**
   * Returns the mounts with which a container reaches the network, hosts and folders.
   * @throws AishError `mount_not_allowed`, `mount_missing`, `engine_lacks`
   */
  async waysFor({
    workspaceId,
    hostFolders,
    hosts,
  }: Pick<RunRequest, 'workspaceId' | 'hostFolders' | 'hosts'>): Promise<Ways> {
    if (hostFolders.length > 0) await this.containerAccess.require('folders');
    const hostMounts = await this.hostFolders.mountsFor(hostFolders);
    const heldFolders = await this.hostFolders.heldOf(hostFolders);
    const network = await this.gate.mountFor(workspaceId);
    return { hostMounts, heldFolders, network, hosts: hosts ? await this.bridge.mountFor(workspaceId) : null };
  }

  /** Gives a run the access of its workspace's policy, until the returned function is called. */
  async join(run: Run): Promise<() => void> {
    const leave = await this.gate.join(run.workspaceId, { log: run.output.connections, secrets: run.secrets });
    const close = await this.bridge.join(run);
    return () => {
      close();
      leave();
    };
  }

  /** Returns whether a command with these folders may change something that no layer holds. */
  isReached(workspaceId: string, hostFolders: readonly string[]): boolean {
    return this.gate.policy(workspaceId).mode !== 'none' || this.hostFolders.hasDirect(hostFolders);
  }
}
