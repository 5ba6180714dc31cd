import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ToolGrant, ToolGrantList } from '@aish/contracts/chat';
import { SessionReference } from '@aish/contracts/goals';
import { ToolSpec } from '@aish/contracts/tools';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { SessionTools } from './session-tools.js';

const ToolSpecList = z.object({ items: z.array(ToolSpec) }).meta({ id: 'ToolSpecList' });
type ToolSpecList = z.infer<typeof ToolSpecList>;

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1')
export class SessionToolsController {
  constructor(private readonly tools: SessionTools) {}

  @Get('sessions/:ref/tools')
  @Needs('observe')
  @ApiOperation({ summary: 'The tools that there are for a session; what servers say of them is data' })
  @ApiOkResponse({ standardSchema: ToolSpecList })
  async list(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
  ): Promise<ToolSpecList> {
    return { items: [...(await this.tools.list(token.name, reference))] };
  }

  @Get('sessions/:ref/grants')
  @Needs('observe')
  @ApiOperation({ summary: 'Tools that need no question in this session' })
  @ApiOkResponse({ standardSchema: ToolGrantList })
  async grants(@Param('ref', { schema: SessionReference }) reference: string): Promise<ToolGrantList> {
    return { items: [...(await this.tools.grants(reference))] };
  }

  @Put('sessions/:ref/grants')
  @Needs('decide')
  @ApiOperation({ summary: 'Let a tool, or all of a server, be called without a question in this session' })
  @ApiOkResponse({ standardSchema: ToolGrantList })
  async grant(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: ToolGrant }) grant: ToolGrant,
  ): Promise<ToolGrantList> {
    return { items: [...(await this.tools.grant(token.name, reference, grant))] };
  }

  @Post('sessions/:ref/grants/revoke')
  @HttpCode(200)
  @Needs('decide')
  @ApiOperation({ summary: 'Take a grant back' })
  @ApiOkResponse({ standardSchema: ToolGrantList })
  async revoke(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: ToolGrant }) grant: ToolGrant,
  ): Promise<ToolGrantList> {
    return { items: [...(await this.tools.revoke(reference, grant))] };
  }
}
