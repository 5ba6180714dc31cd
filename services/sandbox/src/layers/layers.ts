import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Effects } from '@aish/contracts/effects';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { LABELS, volumeName } from '../engine/container-spec.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import { unlessStatus } from '../engine/engine-answer.js';
import type { Hold } from '../engine/hold.js';
import { layersVolume, type Keeper } from './keeper.js';

/** All options of a mount fit one page. */
const OPTIONS_MAX_CHARS = 3_800;
const DEPTH_MAX = 24;

/**
 * Workspaces as stacks of layers. The volume of a workspace is an overlay whose upper folder was empty when the last
 * command began; it is made anew, with one layer more, whenever nothing has it mounted and something was written.
 */
export class Layers implements BeforeApplicationShutdown {
  private readonly turns = new Map<string, Promise<unknown>>();
  private mountpoint: string | null = null;

  constructor(
    private readonly keeper: Keeper,
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes a container that mounts a workspace: its volume is there, with a new layer where that was possible, and is
   * not made anew meanwhile.
   */
  readonly hold: Hold = (workspaceId, make) => {
    if (!this.isOn) return make();
    return this.inTurn(workspaceId, async () => {
      await this.renew(workspaceId);
      return make();
    });
  };

  /** A new layer on top, where nothing has the workspace mounted and something was written. */
  refresh(workspaceId: string): Promise<void> {
    return this.inTurn(workspaceId, () => this.renew(workspaceId));
  }

  /** Does something to the layers of a workspace. @returns false when something has it mounted: nothing was done. */
  alone(workspaceId: string, work: () => Promise<void>): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.engine.removeVolume(workspaceId))) return false;
      await work();
      await this.renew(workspaceId);
      return true;
    });
  }

  /** Remembers how the workspace is before a run, as far as its layer tells. */
  async mark(workspaceId: string, runId: string): Promise<void> {
    if (!this.isOn) return;
    await this.keeper.mark(workspaceId, runId).catch((error: unknown) => this.untold(runId, error));
  }

  /** What a run did, from the layer it wrote to; undefined where nobody can tell. */
  async effects(workspaceId: string, runId: string): Promise<Effects | undefined> {
    if (!this.isOn) return undefined;
    try {
      return (await this.keeper.effects(workspaceId, runId)) ?? undefined;
    } catch (error) {
      this.untold(runId, error);
      return undefined;
    }
  }

  /** Removes a workspace's volume and its layers. @returns false when a container uses it. */
  remove(workspaceId: string): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.engine.removeVolume(workspaceId))) return false;
      if (this.isOn) await this.keeper.drop(workspaceId);
      return true;
    });
  }

  /** Gives workspaces their volume back that a crash took while it was made anew. */
  async recover(): Promise<void> {
    if (!this.isOn) return;
    const withLayers = await this.keeper.list();
    const withVolume = await this.engine.workspaces();
    for (const workspaceId of withLayers) {
      if (withVolume.has(workspaceId)) continue;
      await this.inTurn(workspaceId, async () => {
        // It may have been removed meanwhile.
        if ((await this.keeper.list()).includes(workspaceId)) await this.renew(workspaceId);
      });
    }
  }

  beforeApplicationShutdown(): void {
    this.keeper.close();
  }

  get isOn(): boolean {
    return this.config.SANDBOX_LAYERS === 'on';
  }

  private async renew(workspaceId: string): Promise<void> {
    const name = volumeName(this.config.SANDBOX_INSTANCE, workspaceId);
    const there = await this.engine.ask((docker) => unlessStatus([404], docker.getVolume(name).inspect()));
    // A workspace from before there were layers: its files lie in the volume itself.
    if (there !== null && there.Options?.['type'] !== 'overlay') return;
    if (there !== null && !(await this.engine.removeVolume(workspaceId))) return;
    const folder = await this.folder();
    const layer = (n: number) => `${folder}/${workspaceId}/${n}`;
    const depth = Math.min(DEPTH_MAX, Math.floor(OPTIONS_MAX_CHARS / (layer(0).length + 8)) - 2);
    const [top, ...below] = (await this.keeper.top(workspaceId, depth)).toReversed();
    const lower = below.map((n) => `${layer(n)}/u`).join(':');
    const o = `lowerdir=${lower},upperdir=${layer(top ?? 0)}/u,workdir=${layer(top ?? 0)}/w,userxattr`;
    await this.engine.ask((docker) =>
      docker.createVolume({
        Name: name,
        Driver: 'local',
        DriverOpts: { type: 'overlay', device: 'overlay', o },
        Labels: { [LABELS.instance]: this.config.SANDBOX_INSTANCE, [LABELS.workspace]: workspaceId },
      }),
    );
  }

  private async folder(): Promise<string> {
    if (this.mountpoint === null) {
      // The keeper makes the volume.
      await this.keeper.list();
      this.mountpoint = await this.engine.mountpointOf(layersVolume(this.config.SANDBOX_INSTANCE));
    }
    if (/[,:\\]/.test(this.mountpoint)) {
      throw new AishError(
        'invalid_config',
        `No overlay can be mounted from ${this.mountpoint}: set SANDBOX_LAYERS=off`,
      );
    }
    return this.mountpoint;
  }

  private async inTurn<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(workspaceId) ?? Promise.resolve();
    const mine = before.then(work, work);
    const over = mine.catch(() => undefined);
    this.turns.set(workspaceId, over);
    try {
      return await mine;
    } finally {
      if (this.turns.get(workspaceId) === over) this.turns.delete(workspaceId);
    }
  }

  private untold(runId: string, error: unknown): void {
    this.logger.warn({ err: error, runId }, 'cannot tell what a run did to its files');
  }
}
