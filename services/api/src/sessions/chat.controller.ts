import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SendMessage, StopResult } from '@aish/contracts/chat';
import { SessionReference } from '@aish/contracts/goals';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ConfirmsAccess, CurrentToken, Needs } from '../http/needs.decorator.js';
import { ChatMessages } from './chat-messages.js';
import { ChatStops } from './chat-stops.js';
import { SessionStreams } from './session-streams.js';
import { SessionsService } from './sessions.service.js';

const After = z.object({ after: z.union([z.literal('latest'), z.coerce.number().int().min(0)]).optional() });
type After = z.infer<typeof After>;

/** What is said in a session, and what is heard of it. */
@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1')
export class ChatController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: ChatMessages,
    private readonly stops: ChatStops,
    private readonly streams: SessionStreams,
  ) {}

  @Post('sessions/:ref/messages')
  @HttpCode(200)
  @Needs('operate')
  @ConfirmsAccess()
  @ApiOperation({ summary: 'Say something; answers with server-sent events until the exchange has ended' })
  async message(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: SendMessage }) { text }: SendMessage,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.messages.send(token, await this.sessions.idOf(reference, token.id), text, reply);
  }

  @Post('sessions/:ref/stop')
  @HttpCode(200)
  @Needs('operate')
  @ApiOperation({ summary: 'Stop what a chat is doing; what came of the answer is kept' })
  @ApiOkResponse({ standardSchema: StopResult })
  stop(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
  ): Promise<StopResult> {
    return this.stops.stop(token.name, reference);
  }

  @Get('sessions/:ref/events')
  @Needs('observe')
  @ApiOperation({ summary: 'What happens in a session, as server-sent events; resumes after Last-Event-ID' })
  async events(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Query({ schema: After }) query: After,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.streams.events(await this.sessions.idOf(reference), query.after, lastEventId, reply);
  }

  @Get('notices')
  @Needs('observe')
  @ApiOperation({ summary: 'A word whenever anything changes anywhere, as server-sent events; not replayed' })
  notices(@Res() reply: FastifyReply): void {
    this.streams.notices(reply);
  }
}
