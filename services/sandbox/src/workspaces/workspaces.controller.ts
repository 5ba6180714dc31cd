import { AishError } from '@aish/contracts';
import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { z } from 'zod';
import { DockerEngine } from '../engine/docker.engine.js';
import { LiveRuns } from '../runs/live-runs.js';

const Id = z.uuid().toLowerCase();

@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly engine: DockerEngine,
    private readonly live: LiveRuns,
  ) {}

  /** Deletes the volume and all that is in it. One that is not there is as good as deleted. */
  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id', { schema: Id }) id: string): Promise<void> {
    if (this.live.uses(id) || !(await this.engine.removeVolume(id))) {
      throw new AishError('locked', `A run uses workspace ${id}; cancel it or wait for its end`, { retryAfterS: 2 });
    }
  }
}
