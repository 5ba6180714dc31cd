import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RecallHits, RecallQuery } from '@aish/contracts/recall';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { Recall } from '@aish/memory';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { callerOf } from './caller.js';

const TIMEOUT_MS = 30_000;

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/recall')
export class RecallController {
  constructor(private readonly memory: Recall) {}

  @Get()
  @Needs('any token')
  @ApiOperation({ summary: 'Search memory, documents, knowledge, and your past chats and goals at once, best first' })
  @ApiOkResponse({ standardSchema: RecallHits })
  recall(@CurrentToken() token: ApiTokenRow, @Query({ schema: RecallQuery }) query: RecallQuery): Promise<RecallHits> {
    const { q, limit, kind } = query;
    const question = { text: q, limit, ...(kind === undefined ? {} : { kinds: [kind] }) };
    const caller = { memory: callerOf(token), token: token.name };
    return this.memory.find(question, caller, AbortSignal.timeout(TIMEOUT_MS));
  }
}
