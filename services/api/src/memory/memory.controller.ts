import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import {
  AddMemory,
  AddedMemory,
  ClearMemory,
  EditMemory,
  EndSession,
  EndedSession,
  ForgottenMany,
  ForgottenMemory,
  ImportMemory,
  ImportReport,
  InjectMemory,
  ListMemory,
  MemoryBackground,
  MemoryCounts,
  MemoryHits,
  MemoryItem,
  MemoryList,
  MemoryTrail,
  PruneMemory,
  SearchMemory,
} from '@aish/contracts/memory';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { callerOf } from './caller.js';
import { MemoryKeeper } from './memory-keeper.js';
import { MemoryService } from './memory.service.js';

export const MemoryNumber = z.coerce.number().int().min(1).max(2_147_483_647);

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/memory')
export class MemoryController {
  constructor(
    private readonly memory: MemoryService,
    private readonly keeper: MemoryKeeper,
  ) {}

  @Get()
  @Needs('observe')
  @ApiOperation({ summary: 'How many items are active, and how many candidates wait' })
  @ApiOkResponse({ standardSchema: MemoryCounts })
  counts(@CurrentToken() token: ApiTokenRow): Promise<MemoryCounts> {
    return this.memory.counts(callerOf(token));
  }

  @Get('items')
  @Needs('observe')
  @ApiOperation({ summary: 'Items, newest first' })
  @ApiOkResponse({ standardSchema: MemoryList })
  list(@CurrentToken() token: ApiTokenRow, @Query({ schema: ListMemory }) query: ListMemory): Promise<MemoryList> {
    return this.memory.list(callerOf(token), query);
  }

  @Post('items')
  @Needs('operate')
  @ApiOperation({ summary: 'Remember something; says what is nearly the same and what looks like a secret' })
  @ApiCreatedResponse({ standardSchema: AddedMemory })
  add(@CurrentToken() token: ApiTokenRow, @Body({ schema: AddMemory }) input: AddMemory): Promise<AddedMemory> {
    return this.memory.add(callerOf(token), input);
  }

  @Get('items/:number')
  @Needs('observe')
  @ApiOperation({ summary: 'One item, forgotten or not' })
  @ApiOkResponse({ standardSchema: MemoryItem })
  show(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
  ): Promise<MemoryItem> {
    return this.memory.show(callerOf(token), number);
  }

  @Get('items/:number/why')
  @Needs('observe')
  @ApiOperation({ summary: 'Where an item comes from, and what became of it' })
  @ApiOkResponse({ standardSchema: MemoryTrail })
  why(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
  ): Promise<MemoryTrail> {
    return this.memory.why(callerOf(token), number);
  }

  @Post('items/:number/edit')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Put a new item in the place of this one' })
  @ApiOkResponse({ standardSchema: AddedMemory })
  edit(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
    @Body({ schema: EditMemory }) change: EditMemory,
  ): Promise<AddedMemory> {
    return this.memory.edit(callerOf(token), number, change);
  }

  @Delete('items/:number')
  @Needs('operate')
  @ApiOperation({ summary: 'Forget an item; says so when there is nothing to forget' })
  @ApiOkResponse({ standardSchema: ForgottenMemory })
  forget(
    @CurrentToken() token: ApiTokenRow,
    @Param('number', { schema: MemoryNumber }) number: number,
  ): Promise<ForgottenMemory> {
    return this.memory.forget(callerOf(token), number);
  }

  @Post('clear')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Forget every active item, after a person has confirmed' })
  @ApiOkResponse({ standardSchema: ForgottenMany })
  clear(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: ClearMemory }) { confirm }: ClearMemory,
  ): Promise<ForgottenMany> {
    return this.memory.clear(callerOf(token), confirm);
  }

  @Post('prune')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Forget items older than so many days' })
  @ApiOkResponse({ standardSchema: ForgottenMany })
  prune(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: PruneMemory }) { olderThanDays }: PruneMemory,
  ): Promise<ForgottenMany> {
    return this.memory.prune(callerOf(token), olderThanDays);
  }

  @Get('search')
  @Needs('any token')
  @ApiOperation({ summary: 'Active items that fit some words, best first' })
  @ApiOkResponse({ standardSchema: MemoryHits })
  search(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: SearchMemory }) query: SearchMemory,
  ): Promise<MemoryHits> {
    return this.memory.search(callerOf(token), query);
  }

  @Post('inject')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Load the background block of a session anew, or see what a new session would get' })
  @ApiOkResponse({ standardSchema: MemoryBackground })
  inject(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: InjectMemory }) input: InjectMemory,
  ): Promise<MemoryBackground> {
    return this.memory.inject(callerOf(token), input.sessionId);
  }

  @Post('session-ended')
  @HttpCode(202)
  @Needs('operate')
  @ApiOperation({ summary: 'Say that a session was left: what is set to happen then happens' })
  @ApiAcceptedResponse({ standardSchema: EndedSession })
  sessionEnded(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: EndSession }) { sessionId }: EndSession,
  ): Promise<EndedSession> {
    return this.keeper.sessionEnded(callerOf(token).owner, sessionId);
  }

  @Get('export')
  @Needs('observe')
  @ApiOperation({ summary: 'The whole record as a memory.jsonl, tombstones included' })
  @ApiProduces('application/jsonl')
  export(@CurrentToken() token: ApiTokenRow, @Res() reply: FastifyReply): Promise<void> {
    return this.memory.export(callerOf(token), reply);
  }

  @Post('import')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Take a memory.jsonl over; broken lines are reported and left out' })
  @ApiOkResponse({ standardSchema: ImportReport })
  import(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: ImportMemory }) { jsonl }: ImportMemory,
  ): Promise<ImportReport> {
    return this.memory.import(callerOf(token), jsonl);
  }
}
