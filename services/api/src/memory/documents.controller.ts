import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CompactDocument,
  Compaction,
  DocumentList,
  DocumentReading,
  DocumentScope,
  ListDocuments,
  ReadDocument,
  SaveSummary,
  SavedSummary,
  WriteDocument,
  WrittenDocument,
} from '@aish/contracts/memory-documents';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { untilGone } from '@aish/http';
import { Compactor, MemoryDocuments } from '@aish/memory';
import type { FastifyReply } from 'fastify';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { callerOf, writerOf } from './caller.js';

/** The scoped markdown documents. What a token may do with which of them: packages/memory, permissions.ts. */
@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/memory/documents')
export class DocumentsController {
  constructor(
    private readonly documents: MemoryDocuments,
    private readonly compactor: Compactor,
  ) {}

  @Get()
  @Needs('any token')
  @ApiOperation({ summary: 'The documents that this token may read, with sizes and archives' })
  @ApiOkResponse({ standardSchema: DocumentList })
  list(
    @CurrentToken() token: ApiTokenRow,
    @Query({ schema: ListDocuments }) { space }: ListDocuments,
  ): Promise<DocumentList> {
    return this.documents.list(callerOf(token), space);
  }

  @Get(':scope')
  @Needs('any token')
  @ApiOperation({ summary: 'Headings, a section, the tail or all of a document; or one of its archives' })
  @ApiOkResponse({ standardSchema: DocumentReading })
  read(
    @CurrentToken() token: ApiTokenRow,
    @Param('scope', { schema: DocumentScope }) scope: DocumentScope,
    @Query({ schema: ReadDocument }) query: ReadDocument,
  ): Promise<DocumentReading> {
    return this.documents.read(callerOf(token), scope, query);
  }

  @Post(':scope')
  @HttpCode(200)
  @Needs('any token')
  @ApiOperation({ summary: 'Append to a document or replace it; 409 version_changed on a lost update' })
  @ApiOkResponse({ standardSchema: WrittenDocument })
  write(
    @CurrentToken() token: ApiTokenRow,
    @Param('scope', { schema: DocumentScope }) scope: DocumentScope,
    @Body({ schema: WriteDocument }) input: WriteDocument,
  ): Promise<WrittenDocument> {
    return this.documents.write(writerOf(token), scope, input);
  }

  @Post(':scope/compact')
  @HttpCode(200)
  @Needs('any token')
  @ApiOperation({ summary: 'Archive a document and have a model write it anew, shorter' })
  @ApiOkResponse({ standardSchema: Compaction })
  compact(
    @CurrentToken() token: ApiTokenRow,
    @Param('scope', { schema: DocumentScope }) scope: DocumentScope,
    @Body({ schema: CompactDocument }) { space }: CompactDocument,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Compaction> {
    return this.compactor.compact(writerOf(token), scope, space, untilGone(reply));
  }

  @Post(':scope/archives')
  @Needs('any token')
  @ApiOperation({ summary: 'Keep the summary of a session beside a document' })
  @ApiOkResponse({ standardSchema: SavedSummary })
  async saveSummary(
    @CurrentToken() token: ApiTokenRow,
    @Param('scope', { schema: DocumentScope }) scope: DocumentScope,
    @Body({ schema: SaveSummary }) input: SaveSummary,
  ): Promise<SavedSummary> {
    return { path: await this.documents.saveSummary(writerOf(token), scope, input) };
  }
}
