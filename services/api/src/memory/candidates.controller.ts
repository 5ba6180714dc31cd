import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AcceptCandidate,
  CandidateList,
  ListCandidates,
  MemoryCandidate,
  MemoryItem,
  Summarize,
  Summary,
} from '@aish/contracts/memory';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { untilGone } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { callerOf } from './caller.js';
import { MemoryNumber } from './memory.controller.js';
import { MemoryService } from './memory.service.js';

/** What models would remember, and its review. Only a person's token reviews. */
@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/memory')
export class CandidatesController {
  constructor(private readonly memory: MemoryService) {}

  @Post('summarize')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Have a model propose what to remember of a session; nothing is remembered by it' })
  @ApiOkResponse({ standardSchema: Summary })
  summarize(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: Summarize }) input: Summarize,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Summary> {
    return this.memory.summarize(callerOf(token), input, untilGone(reply));
  }

  @Get('candidates')
  @Needs('observe')
  @ApiOperation({ summary: 'Candidates, oldest first' })
  @ApiOkResponse({ standardSchema: CandidateList })
  list(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: ListCandidates }) query: ListCandidates,
  ): Promise<CandidateList> {
    return this.memory.candidates(callerOf(token), query);
  }

  @Post('candidates/:number/accept')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Make a candidate an item, as it is or in other words' })
  @ApiOkResponse({ standardSchema: MemoryItem })
  accept(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
    @Body({ schema: AcceptCandidate }) change: AcceptCandidate,
  ): Promise<MemoryItem> {
    return this.memory.accept(callerOf(token), number, change);
  }

  @Post('candidates/:number/reject')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Drop a candidate; it is not proposed again' })
  @ApiOkResponse({ standardSchema: MemoryCandidate })
  reject(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
  ): Promise<MemoryCandidate> {
    return this.memory.reject(callerOf(token), number);
  }
}
