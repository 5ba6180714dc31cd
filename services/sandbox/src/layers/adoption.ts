import { readFileSync } from 'node:fs';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
import { LABELS, volumeName } from '../engine/container-spec.js';
import type { HelperEngine } from '../engine/helper.engine.js';
import type { WorkspaceVolumes } from '../removal/workspace.volumes.js';
import type { Layers } from './layers.js';

// Beside dist and src alike.
const SCRIPT = readFileSync(new URL('../../scripts/adopt.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');
const TIMEOUT_MS = 10 * 60_000;
const ANSWER_MAX_BYTES = 1_024;

/** Takes workspaces over that are plain volumes, one after the other, while nobody uses them: each becomes a base. */
export class Adoption {
  /** Those that could not be taken over; they are tried again after a restart. */
  private readonly refused = new Set<string>();

  constructor(
    private readonly layers: Layers,
    private readonly volumes: WorkspaceVolumes,
    private readonly helpers: HelperEngine,
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    if (!(await this.layers.works())) return;
    const filters = { label: [LABELS.workspace, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.engine.ask((docker) => docker.listVolumes({ filters }));
    for (const { Labels, Options } of Volumes) {
      const workspaceId = Labels[LABELS.workspace];
      if (workspaceId === undefined || Options?.['type'] === 'overlay' || this.refused.has(workspaceId)) continue;
      await this.volumes.alone(workspaceId, () => this.take(workspaceId));
    }
  }

  private async take(workspaceId: string): Promise<void> {
    try {
      await this.layers.adopt(workspaceId, (into) => this.copy(workspaceId, into));
      this.logger.info({ workspaceId }, 'a workspace has layers from now on');
    } catch (error) {
      this.refused.add(workspaceId);
      this.logger.warn({ err: error, workspaceId }, 'a workspace cannot have layers; it stays as it is');
    }
  }

  private async copy(workspaceId: string, into: string): Promise<void> {
    const volume = volumeName(this.config.SANDBOX_INSTANCE, workspaceId);
    const task = {
      command: ['bash', '-c', SCRIPT, 'aish', workspaceId, String(this.config.DISK_FREE_MIN_MB * 1_024)],
      volumes: [
        { volume, target: '/source' as const, readOnly: true },
        { volume: into, target: '/workspace' as const, readOnly: false },
      ],
      timeoutMs: TIMEOUT_MS,
      readsAll: true,
    };
    const { exitCode, stderr } = await this.helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    if (exitCode === 0) return;
    if (exitCode === 43) throw new AishError('disk_full', 'There is no room for a copy of it, which takes its place');
    throw new AishError('internal', `Copying it ended with ${exitCode}: ${stderr.trim()}`);
  }
}
