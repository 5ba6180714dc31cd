import { Body, Controller, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcceptRunbook, PutRunbook, RunbookDetail, RunbookList, RunbookName } from '@aish/contracts/runbooks';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { RunbooksService } from './runbooks.service.js';

@ApiTags('runbooks')
@ApiBearerAuth()
@Controller('v1/runbooks')
export class RunbooksController {
  constructor(private readonly runbooks: RunbooksService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Runbooks, by name' })
  @ApiOkResponse({ standardSchema: RunbookList })
  async list(@Res({ passthrough: true }) reply: FastifyReply): Promise<RunbookList> {
    return { items: await this.runbooks.list(untilGone(reply)) };
  }

  @Get(':name')
  @Needs('observe')
  @ApiOperation({ summary: 'One runbook whole, with what it may do without a question' })
  @ApiOkResponse({ standardSchema: RunbookDetail })
  show(
    @Param('name', { schema: RunbookName }) name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunbookDetail> {
    return this.runbooks.show(name, untilGone(reply));
  }

  @Put(':name')
  @Needs('admin')
  @ApiOperation({ summary: 'Put a runbook in place of the one of its name, or only say what is wrong with it' })
  @ApiOkResponse({ standardSchema: RunbookDetail })
  put(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: RunbookName }) name: string,
    @Body({ schema: PutRunbook }) body: PutRunbook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunbookDetail> {
    return this.runbooks.put(token.name, name, body, untilGone(reply));
  }

  @Post(':name/accept')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Let a runbook use its tools and commands without a question, as it is' })
  @ApiOkResponse({ standardSchema: RunbookDetail })
  accept(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: RunbookName }) name: string,
    @Body({ schema: AcceptRunbook }) { digest }: AcceptRunbook,
  ): Promise<RunbookDetail> {
    return this.runbooks.accept(token.name, name, digest);
  }
}
