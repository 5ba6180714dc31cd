import type { CommandSurroundings } from '@aish/contracts/surroundings';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Surroundings } from './surroundings.js';

const Id = z.uuid().toLowerCase();
const CarryOver = z.object({ carryOver: z.stringbool().default(true) });

@Controller('v1/workspaces/:id/surroundings')
export class SurroundingsController {
  constructor(private readonly surroundings: Surroundings) {}

  /** What the next command begins in: to be shown with it, and named when it is run. */
  @Get()
  describe(
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: CarryOver }) { carryOver }: z.infer<typeof CarryOver>,
  ): CommandSurroundings {
    return this.surroundings.describe(id, carryOver);
  }
}
