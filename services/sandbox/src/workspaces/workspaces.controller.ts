import { AishError } from '@aish/contracts';
import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { DockerEngine } from '../engine/docker.engine.js';
import { LiveRuns } from '../runs/live-runs.js';
import { Removals } from '../runs/removals.js';
import { WarmPool } from '../warm/warm.pool.js';
import { WorkspaceStore } from './workspace.store.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly engine: DockerEngine,
    private readonly live: LiveRuns,
    private readonly pool: WarmPool,
    private readonly removals: Removals,
    private readonly store: WorkspaceStore,
  ) {}

  /** Makes a container ready for the next command, and answers when it is: `ready` false means that one starts cold. */
  @Post(':id/prepare')
  @HttpCode(200)
  async prepare(@Param('id', { schema: Id }) id: string): Promise<{ readonly ready: boolean }> {
    await this.engine.ready();
    return { ready: await this.live.prepare(id) };
  }

  /** Deletes the volume and all that is in it. One that is not there is as good as deleted. */
  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id', { schema: Id }) id: string): Promise<void> {
    const inUse = () =>
      new AishError('locked', `A run uses workspace ${id}; cancel it or wait for its end`, { retryAfterS: 2 });
    if (this.live.uses(id)) throw inUse();
    await this.pool.drop(id);
    await this.removals.settled(id);
    if (this.live.uses(id) || !(await this.engine.removeVolume(id))) throw inUse();
    this.store.forget(id);
  }
}
