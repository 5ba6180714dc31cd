import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Decision, DecisionList, GiveVerdict, ListDecisions } from '@aish/contracts/decisions';
import { DecisionReference } from '@aish/contracts/goals';
import { allows } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { DecisionsService } from './decisions.service.js';

@ApiTags('decisions')
@ApiBearerAuth()
@Controller('v1/decisions')
export class DecisionsController {
  constructor(private readonly decisions: DecisionsService) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'Questions that wait for a person, oldest first' })
  @ApiOkResponse({ standardSchema: DecisionList })
  async list(@Query({ schema: ListDecisions }) query: ListDecisions): Promise<DecisionList> {
    return { items: await this.decisions.list(query) };
  }

  @Get(':ref')
  @Needs('observe')
  @ApiOperation({ summary: 'One decision' })
  @ApiOkResponse({ standardSchema: Decision })
  show(@Param('ref', { schema: DecisionReference }) reference: string): Promise<Decision> {
    return this.decisions.find(reference);
  }

  @Post(':ref/verdict')
  @HttpCode(200)
  @Needs('decide')
  @ApiOperation({ summary: 'Answer a decision; the first verdict wins' })
  @ApiOkResponse({ standardSchema: Decision })
  decide(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: DecisionReference }) reference: string,
    @Body({ schema: GiveVerdict }) verdict: GiveVerdict,
  ): Promise<Decision> {
    const isAdmin = allows(token.scopes, 'admin');
    return this.decisions.decide({ name: token.name, owner: token.owner, isAdmin }, reference, verdict);
  }

  @Delete(':ref/verdict')
  @Needs('decide')
  @ApiOperation({ summary: 'Take back what waits for another person or for the change window; the question stays' })
  @ApiOkResponse({ standardSchema: Decision })
  takeBack(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: DecisionReference }) reference: string,
  ): Promise<Decision> {
    return this.decisions.takeBack(token.name, reference);
  }
}
