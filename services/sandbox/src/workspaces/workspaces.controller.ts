import { HostFolderNames } from '@aish/contracts';
import { Controller, Delete, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { DockerEngine } from '../engine/docker.engine.js';
import { LiveRuns } from '../runs/live-runs.js';
import { WorkspaceRemoval } from './workspace.removal.js';

const Id = z.uuid().toLowerCase();
/** What the next command is expected to ask for; another one starts cold. */
const Preparation = z.object({
  hostFolders: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .pipe(HostFolderNames.unwrap()),
});

@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly engine: DockerEngine,
    private readonly live: LiveRuns,
    private readonly removal: WorkspaceRemoval,
  ) {}

  /** Makes a container ready for the next command, and answers when it is: `ready` false means that one starts cold. */
  @Post(':id/prepare')
  @HttpCode(200)
  async prepare(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: Preparation }) { hostFolders }: z.infer<typeof Preparation>,
  ): Promise<{ readonly ready: boolean }> {
    await this.engine.ready();
    return { ready: await this.live.prepare({ workspaceId: id, hostFolders }) };
  }

  /** Deletes the volume and all that is in it, its snapshots and its network policy. */
  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id', { schema: Id }) id: string): Promise<void> {
    await this.removal.remove(id);
  }
}
