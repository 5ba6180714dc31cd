import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ActionOutput } from '@aish/contracts/actions';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findOutput } from '@aish/database/steps.repository';
import { z } from 'zod';
import { Needs } from '../http/needs.decorator.js';

/** What actions printed, as far as it is stored. */
export class Outputs {
  constructor(private readonly db: Database) {}

  /** @throws AishError `not_found` */
  async of(actionId: string): Promise<ActionOutput> {
    const output = await findOutput(this.db.statements, actionId);
    if (output === null) throw new AishError('not_found', `There is no action ${actionId}`);
    return output;
  }
}

@ApiTags('actions')
@ApiBearerAuth()
@Controller('v1/actions')
export class OutputController {
  constructor(private readonly outputs: Outputs) {}

  @Get(':id/output')
  @Needs('observe')
  @ApiOperation({ summary: 'All that is stored of what an action printed' })
  @ApiOkResponse({ standardSchema: ActionOutput })
  output(@Param('id', { schema: z.uuid().toLowerCase() }) actionId: string): Promise<ActionOutput> {
    return this.outputs.of(actionId);
  }
}
