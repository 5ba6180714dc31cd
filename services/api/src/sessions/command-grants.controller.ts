import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SessionReference } from '@aish/contracts/goals';
import { Grant, GrantList } from '@aish/contracts/grants';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { CommandGrants } from './command-grants.js';

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1/sessions/:ref/command-grants')
export class CommandGrantsController {
  constructor(private readonly grants: CommandGrants) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What this chat does not ask about again' })
  @ApiOkResponse({ standardSchema: GrantList })
  async list(@Param('ref', { schema: SessionReference }) reference: string): Promise<GrantList> {
    return { items: await this.grants.list(reference) };
  }

  @Delete(':id')
  @Needs('decide')
  @ApiOperation({ summary: 'Take such a grant back, from the next action on' })
  @ApiOkResponse({ standardSchema: Grant })
  revoke(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Param('id', { schema: z.uuid().toLowerCase() }) grantId: string,
  ): Promise<Grant> {
    return this.grants.revoke(token.name, reference, grantId);
  }
}
