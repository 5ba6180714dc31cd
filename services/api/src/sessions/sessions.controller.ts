import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangeSession,
  CreateSession,
  ForkSession,
  ListSessions,
  ListTurns,
  Session,
  SessionList,
  TurnList,
} from '@aish/contracts/chat';
import { SessionReference } from '@aish/contracts/goals';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { ChatsService } from './chats.service.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly chats: ChatsService,
  ) {}

  @Post('sessions')
  @Needs('operate')
  @ApiOperation({ summary: 'Begin a chat' })
  @ApiCreatedResponse({ standardSchema: Session })
  create(@CurrentToken() token: ApiTokenRow, @Body({ schema: CreateSession }) input: CreateSession): Promise<Session> {
    return this.chats.create(token, input);
  }

  @Get('sessions')
  @Needs('observe')
  @ApiOperation({ summary: 'Sessions, the one used last first; with q those that hold its words' })
  @ApiOkResponse({ standardSchema: SessionList })
  list(@Query({ schema: ListSessions }) query: ListSessions): Promise<SessionList> {
    return this.sessions.list(query);
  }

  @Get('sessions/:ref')
  @Needs('observe')
  @ApiOperation({ summary: 'One session' })
  @ApiOkResponse({ standardSchema: Session })
  show(@Param('ref', { schema: SessionReference }) reference: string): Promise<Session> {
    return this.sessions.find(reference);
  }

  @Patch('sessions/:ref')
  @Needs('operate')
  @ApiOperation({ summary: 'Rename a session, switch its model, change how it goes on' })
  @ApiOkResponse({ standardSchema: Session })
  change(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: ChangeSession }) change: ChangeSession,
  ): Promise<Session> {
    return this.chats.change(token, reference, change);
  }

  @Delete('sessions/:ref')
  @HttpCode(204)
  @Needs('operate')
  @ApiOperation({ summary: 'Delete a chat, with its workspace' })
  async remove(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
  ): Promise<void> {
    await this.sessions.remove(token.name, reference);
  }

  @Post('sessions/:ref/fork')
  @Needs('operate')
  @ApiOperation({ summary: 'A new chat that shares the turns up to some one' })
  @ApiCreatedResponse({ standardSchema: Session })
  fork(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: ForkSession }) input: ForkSession,
  ): Promise<Session> {
    return this.chats.fork(token, reference, input);
  }

  @Get('sessions/:ref/turns')
  @Needs('observe')
  @ApiOperation({ summary: 'The record of a session' })
  @ApiOkResponse({ standardSchema: TurnList })
  async turns(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Query({ schema: ListTurns }) { after, limit }: ListTurns,
  ): Promise<TurnList> {
    return { items: await this.sessions.history(reference, after ?? null, limit) };
  }

  @Get('sessions/:ref/results/:handle')
  @Needs('observe')
  @ApiOperation({ summary: 'A large result or an attachment of a tool, by its handle' })
  async result(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Param('handle', { schema: z.string().max(16) }) handle: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { mime_type: type, content } = await this.sessions.result(reference, handle);
    // What a server sent is never shown as a page of ours.
    void reply.header('x-content-type-options', 'nosniff').header('content-disposition', 'attachment');
    if (type === null) await reply.header('content-type', 'text/plain; charset=utf-8').send(content);
    else await reply.header('content-type', type).send(Buffer.from(content, 'base64'));
  }
}
