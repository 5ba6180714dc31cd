import type { RunRequest } from '@aish/contracts';
import type { NewWorkplace } from '../engine/container-spec.js';
import type { HostFolders } from '../host-folders/host-folders.js';
import type { NetworkGate } from '../network/network.gate.js';
import { isSameSession, parseSession, type Session } from '../workspaces/session.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { Run } from './run.js';

/** What a command finds around it, by the policy, the allowlist and the space there is now, and what it leaves to the next. */
export class Surroundings {
  constructor(
    private readonly gate: NetworkGate,
    private readonly hostFolders: HostFolders,
    private readonly space: WorkspaceSpace,
    private readonly workspaces: WorkspaceStore,
  ) {}

  /**
   * What its container is to be made of.
   * @throws AishError `mount_not_allowed`, `mount_missing`, `invalid_config`, `engine_unavailable`
   */
  async of({ workspaceId, hostFolders }: Pick<RunRequest, 'workspaceId' | 'hostFolders'>): Promise<NewWorkplace> {
    const hostMounts = await this.hostFolders.mountsFor(hostFolders);
    const network = await this.gate.mountFor(workspaceId);
    return { workspaceId, mayWrite: this.space.mayWrite(workspaceId), hostMounts, network };
  }

  /** What to tell whoever runs a command that cannot write; null when it can. */
  whyFull(workspaceId: string): string | null {
    return this.space.whyFull(workspaceId);
  }

  /** Lets a run reach out as its workspace's policy says, until what is returned is called. */
  join({ workspaceId, output }: Run): Promise<() => void> {
    return this.gate.join(workspaceId, output.connections);
  }

  /** Where a command of this workspace begins. */
  session(workspaceId: string): Session {
    return this.workspaces.session(workspaceId);
  }

  /**
   * Keeps what the next command begins with. What a command hands on is data, and may be nonsense.
   * @param env the variables that its container had by itself.
   */
  handOn({ workspaceId, log }: Run, bytes: Buffer, env: readonly string[]): void {
    const session = parseSession(bytes, env);
    if (session === null) {
      log.info('the folder and variables of a run are not carried over: too large, or cut');
      return;
    }
    try {
      if (!isSameSession(session, this.workspaces.session(workspaceId))) {
        this.workspaces.saveSession(workspaceId, session);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not record where a run ended');
    }
  }
}
