import { HostFolderNames } from '@aish/contracts/host-folders';
import { RunImage } from '@aish/contracts/images';
import { Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { DockerEngine } from '../engine/docker.engine.js';
import { RunStarter } from './run.starter.js';

const Id = z.uuid().toLowerCase();
/** The probable needs of the next command. If the command needs something else, it starts in a new container. */
const Preparation = z.object({
  hostFolders: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .pipe(HostFolderNames.unwrap()),
  hosts: z.stringbool().default(false),
  background: z.stringbool().default(false),
  image: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(RunImage)
    .optional(),
});

@Controller('v1/workspaces/:id/prepare')
export class PrepareController {
  constructor(
    private readonly engine: DockerEngine,
    private readonly starter: RunStarter,
  ) {}

  /**
   * Prepares a container for the next command, and answers when the container is ready. If `ready` is false, the
   * command will start in a new container.
   */
  @Post()
  @HttpCode(200)
  async prepare(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: Preparation }) preparation: z.infer<typeof Preparation>,
  ): Promise<{ readonly ready: boolean }> {
    await this.engine.ready();
    return { ready: await this.starter.prepare({ workspaceId: id, ...preparation }) };
  }
}
