import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RunbookProposalReference } from '@aish/contracts/goals';
import {
  AcceptRunbookProposal,
  RunbookDetail,
  RunbookProposal,
  RunbookProposalDetail,
  RunbookProposalList,
} from '@aish/contracts/runbooks';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { RunbooksService } from './runbooks.service.js';

/** What models would have runbooks say, and its review. */
@ApiTags('runbooks')
@ApiBearerAuth()
@Controller('v1/runbook-proposals')
export class RunbookProposalsController {
  constructor(private readonly runbooks: RunbooksService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'What models would have runbooks say and nobody has reviewed, oldest first' })
  @ApiOkResponse({ standardSchema: RunbookProposalList })
  async list(): Promise<RunbookProposalList> {
    return { items: await this.runbooks.proposals().list() };
  }

  @Get(':ref')
  @Needs('observe')
  @ApiOperation({ summary: 'One proposal, as a diff from what the runbook is now' })
  @ApiOkResponse({ standardSchema: RunbookProposalDetail })
  show(
    @Param('ref', { schema: RunbookProposalReference }) reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunbookProposalDetail> {
    return this.runbooks.proposals().show(Number(reference), untilGone(reply));
  }

  @Post(':ref/accept')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Commit a proposal, as it is or in other words; what it may use has to be accepted anew' })
  @ApiOkResponse({ standardSchema: RunbookDetail })
  accept(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: RunbookProposalReference }) reference: string,
    @Body({ schema: AcceptRunbookProposal }) body: AcceptRunbookProposal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunbookDetail> {
    return this.runbooks.adopt(token.name, Number(reference), body, untilGone(reply));
  }

  @Post(':ref/reject')
  @HttpCode(200)
  @Needs('admin')
  @ApiOperation({ summary: 'Drop a proposal; the same text is not proposed again' })
  @ApiOkResponse({ standardSchema: RunbookProposal })
  reject(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: RunbookProposalReference }) reference: string,
  ): Promise<RunbookProposal> {
    return this.runbooks.proposals().reject(token.name, Number(reference));
  }
}
