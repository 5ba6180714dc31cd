import { BoundFile, type ExecutionContext } from '@aish/contracts/execution-context';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { ExecutionContexts } from './execution-contexts.js';

const Id = z.uuid().toLowerCase();
const Asked = z.object({
  carryOver: z.stringbool().default(true),
  /** The names of the variables that the command may read, separated by commas. */
  uses: z.string().max(16_000).default(''),
  /** The names of the host folders that the command gets, separated by commas. */
  hostFolders: z.string().max(1_000).default(''),
  /** The files that decide what the command does, as JSON. */
  files: z
    .string()
    .max(16_000)
    .default('[]')
    .transform((text) => z.array(BoundFile).max(200).parse(JSON.parse(text))),
});

@Controller('v1/workspaces/:id/execution-context')
export class ExecutionContextController {
  constructor(private readonly contexts: ExecutionContexts) {}

  /**
   * Returns the execution context of the next command. A decision shows this context, and the command runs only if the
   * context is still the same.
   */
  @Get()
  describe(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: Asked }) { carryOver, uses, hostFolders, files }: z.infer<typeof Asked>,
  ): Promise<ExecutionContext> {
    return this.contexts.describe(id, carryOver, listed(uses), listed(hostFolders), files);
  }
}

function listed(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}
