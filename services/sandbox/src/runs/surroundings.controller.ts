import { BoundFile, type CommandSurroundings } from '@aish/contracts/surroundings';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Surroundings } from './surroundings.js';

const Id = z.uuid().toLowerCase();
const Asked = z.object({
  carryOver: z.stringbool().default(true),
  /** The variables that the command may read, separated by commas. */
  uses: z.string().max(16_000).default(''),
  /** The host folders that it gets, separated by commas. */
  hostFolders: z.string().max(1_000).default(''),
  /** The files that decide what it does, as JSON. */
  files: z
    .string()
    .max(16_000)
    .default('[]')
    .transform((text) => z.array(BoundFile).max(200).parse(JSON.parse(text))),
});

@Controller('v1/workspaces/:id/surroundings')
export class SurroundingsController {
  constructor(private readonly surroundings: Surroundings) {}

  /** What the next command begins in: to be shown with it, and named when it is run. */
  @Get()
  describe(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: Asked }) { carryOver, uses, hostFolders, files }: z.infer<typeof Asked>,
  ): Promise<CommandSurroundings> {
    return this.surroundings.describe(id, carryOver, listed(uses), listed(hostFolders), files);
  }
}

function listed(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}
