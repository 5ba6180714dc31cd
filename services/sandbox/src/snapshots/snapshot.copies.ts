import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type { HelperEngine, HelperTask, HelperVolume } from '../engine/helper.engine.js';
import { shellScript } from '../engine/script.js';

const SCRIPT = shellScript('snapshot.sh');
const MIB = 2 ** 20;
const COPY_TIMEOUT_MS = 110_000;
const ANSWER_MAX_BYTES = 1_024;
const ACTION = 'dev.aish.snapshot';
// Copies do not have the label of workspaces, whose volumes are counted.
const WORKSPACE = 'dev.aish.snapshot-of';

/** The workspace and the action that a copy belongs to. */
export interface CopyOf {
  readonly workspaceId: string;
  readonly actionId: string;
}

/** Manages the volumes with copies of workspaces. Helpers create and restore them. */
export class SnapshotCopies {
  constructor(
    private readonly helpers: HelperEngine,
    private readonly config: SandboxConfig,
  ) {}

  /** The maximum size of all copies of one workspace. */
  get maxBytes(): number {
    return this.config.SNAPSHOTS_MAX_MB * MIB;
  }

  /** @throws AishError `file_not_found` if the workspace does not exist */
  needWorkspace(workspaceId: string): Promise<void> {
    return this.helpers.needWorkspace(workspaceId);
  }

  hasWorkspace(workspaceId: string): Promise<boolean> {
    return this.helpers.hasWorkspace(workspaceId);
  }

  has(actionId: string): Promise<boolean> {
    return this.helpers.hasVolume(this.name(actionId));
  }

  /** @throws AishError `snapshot_too_large`. @returns the size of a workspace in bytes */
  async measure(workspaceId: string, signal: AbortSignal): Promise<number> {
    const source = this.helpers.workspace(workspaceId, true, '/source');
    return Number(await this.step(['measure', String(this.maxBytes)], [source], signal));
  }

  /** Copies a workspace. If this fails, nothing is left behind. */
  async make({ workspaceId, actionId }: CopyOf, signal: AbortSignal): Promise<void> {
    const source = this.helpers.workspace(workspaceId, true, '/source');
    const copy: HelperVolume = {
      volume: this.name(actionId),
      target: '/workspace',
      readOnly: false,
      labels: { [ACTION]: actionId, [WORKSPACE]: workspaceId },
    };
    // An earlier attempt may have left a volume behind.
    await this.helpers.removeVolume(copy.volume);
    try {
      await this.step(['take'], [source, copy], signal);
    } catch (error) {
      await this.helpers.removeVolume(copy.volume);
      throw error;
    }
  }

  /** Restores a workspace from its copy. */
  async putBack({ workspaceId, actionId }: CopyOf, signal: AbortSignal): Promise<void> {
    const source: HelperVolume = { volume: this.name(actionId), target: '/source', readOnly: true };
    await this.step(['restore'], [source, this.helpers.workspace(workspaceId, false)], signal);
  }

  async remove(actionId: string): Promise<void> {
    await this.helpers.removeVolume(this.name(actionId));
  }

  /** Removes copies that are not wanted, whether they are finished or not. */
  async sweep(isWanted: (copy: CopyOf) => boolean): Promise<void> {
    for (const { name, labels } of await this.helpers.volumes(ACTION)) {
      const copy = { workspaceId: labels[WORKSPACE] ?? '', actionId: labels[ACTION] ?? '' };
      if (!isWanted(copy)) await this.helpers.removeVolume(name);
    }
  }

  private async step(args: readonly string[], volumes: readonly HelperVolume[], signal: AbortSignal): Promise<string> {
    const command = ['bash', '-c', SCRIPT, 'aish', ...args];
    const task: HelperTask = { command, volumes, timeoutMs: COPY_TIMEOUT_MS, readsAll: true };
    const { exitCode, stderr, stdout } = await this.helpers.run(task, signal, ANSWER_MAX_BYTES);
    if (exitCode === 0) return stdout.toString();
    const max = `at most ${this.config.SNAPSHOTS_MAX_MB} MiB (SNAPSHOTS_MAX_MB)`;
    if (exitCode === 43) throw new AishError('snapshot_too_large', `There is no snapshot: ${stderr}, ${max}`);
    if (stderr.includes('No space left')) throw new AishError('disk_full', 'The disk is full');
    const why = exitCode === null ? 'it took too long' : (stderr.split('\n')[0] ?? '');
    throw new AishError('internal', `The workspace could not be copied: ${why}`);
  }

  private name(actionId: string): string {
    return `aish-snap-${this.config.SANDBOX_INSTANCE}-${actionId}`;
  }
}
