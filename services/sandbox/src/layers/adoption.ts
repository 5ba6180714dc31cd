import type { Logger } from '@aish/http';
import type { WorkspaceVolumes } from '../removal/workspace.volumes.js';
import type { Layers } from './layers.js';
import type { Overlays } from './overlays.js';

/** Takes workspaces over that are plain volumes, one after the other, while nobody uses them: each becomes a base. */
export class Adoption {
  /** Those that could not be taken over; they are tried again after a restart. */
  private readonly refused = new Set<string>();

  constructor(
    private readonly layers: Layers,
    private readonly overlays: Overlays,
    private readonly volumes: WorkspaceVolumes,
    private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    if (!(await this.layers.works())) return;
    for (const workspaceId of await this.overlays.plain()) {
      if (!this.refused.has(workspaceId)) await this.volumes.alone(workspaceId, () => this.take(workspaceId));
    }
  }

  private async take(workspaceId: string): Promise<void> {
    try {
      await this.layers.adopt(workspaceId);
      this.logger.info({ workspaceId }, 'a workspace has layers from now on');
    } catch (error) {
      this.refused.add(workspaceId);
      this.logger.warn({ err: error, workspaceId }, 'a workspace cannot have layers; it stays as it is');
    }
  }
}
