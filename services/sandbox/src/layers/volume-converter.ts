import type { Logger } from '@aish/http';
import type { WorkspaceVolumes } from '../removal/workspace.volumes.js';
import type { Layers } from './layers.js';
import type { Overlays } from './overlays.js';

/** Converts workspaces in plain volumes to base layers, one after another, while nobody uses them. */
export class VolumeConverter {
  /** These workspaces could not be converted. They are retried after a restart. */
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
