import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ActionOutput, FindInOutput, FoundInOutput, ReadOutput } from '@aish/contracts/actions';
import { untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Needs } from '../http/needs.decorator.js';
import { Outputs } from './outputs.js';

const Id = z.uuid().toLowerCase();

@ApiTags('actions')
@ApiBearerAuth()
@Controller('v1/actions/:id/output')
export class OutputController {
  constructor(private readonly outputs: Outputs) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What an action printed, as far as it is kept, in pages of lines' })
  @ApiOkResponse({ standardSchema: ActionOutput })
  read(
    @Param('id', { schema: Id }) actionId: string,
    @Query({ schema: ReadOutput }) page: ReadOutput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ActionOutput> {
    return this.outputs.read(actionId, page, untilGone(reply));
  }

  @Get('line')
  @Needs('observe')
  @ApiOperation({ summary: 'The line of what an action printed that has a text' })
  @ApiOkResponse({ standardSchema: FoundInOutput })
  find(
    @Param('id', { schema: Id }) actionId: string,
    @Query({ schema: FindInOutput }) wanted: FindInOutput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FoundInOutput> {
    return this.outputs.find(actionId, wanted, untilGone(reply));
  }
}
