import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangeSession,
  CreateSession,
  ForkSession,
  ImportSession,
  ListSessions,
  ListTurns,
  SendMessage,
  Session,
  SessionList,
  StopResult,
  ToolGrant,
  ToolGrantList,
  TurnList,
} from '@aish/contracts/chat';
import { SessionReference } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { ToolSpec } from '@aish/contracts/tools';
import type { Database } from '@aish/database/client';
import { lastEventSeq } from '@aish/database/events.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { SseStream } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ConfirmsToken, CurrentToken, Needs } from '../http/needs.decorator.js';
import { ChatsService, sendItem } from './chats.service.js';
import { SessionFeed } from './event-feed.js';
import { EventHub } from './event-hub.js';
import { SessionsService } from './sessions.service.js';

const After = z.object({ after: z.union([z.literal('latest'), z.coerce.number().int().min(0)]).optional() });
type After = z.infer<typeof After>;
const ToolSpecList = z.object({ items: z.array(ToolSpec) }).meta({ id: 'ToolSpecList' });
type ToolSpecList = z.infer<typeof ToolSpecList>;

/** The streams of what happens. */
export class SessionStreams {
  constructor(
    private readonly db: Database,
    private readonly hub: EventHub,
  ) {}

  /** @throws AishError `not_found`, `invalid_body` before anything is sent. */
  async events(
    sessionId: string,
    after: After['after'],
    lastEventId: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    const latest = await lastEventSeq(this.db.statements, sessionId);
    if (latest === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    const from = after === 'latest' ? latest : (readLastEventId(lastEventId) ?? after ?? 0);
    const stream = new SseStream(reply);
    const feed = new SessionFeed(this.db, this.hub, sessionId);
    for await (const item of feed.items(from, stream.closed)) await sendItem(stream, item);
  }

  notices(reply: FastifyReply): void {
    const stream = new SseStream(reply);
    const stop = this.hub.listen((notice) => {
      if (notice === 'gap') stream.end(); // the client reconnects and lists again
      else if (notice.type === 'events') void stream.send({ event: 'events', data: notice });
      // What this process recorded comes over the bus as well.
    });
    stream.closed.addEventListener('abort', stop, { once: true });
  }
}

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1')
export class SessionsController {
  constructor(
    private readonly streams: SessionStreams,
    private readonly sessions: SessionsService,
    private readonly chats: ChatsService,
  ) {}

  @Post('sessions')
  @Needs('operate')
  @ApiOperation({ summary: 'Begin a chat' })
  @ApiCreatedResponse({ standardSchema: Session })
  create(@CurrentToken() token: ApiTokenRow, @Body({ schema: CreateSession }) input: CreateSession): Promise<Session> {
    return this.sessions.create(token, input);
  }

  @Get('sessions')
  @Needs('observe')
  @ApiOperation({ summary: 'Sessions, the one used last first; with q those that hold its words' })
  @ApiOkResponse({ standardSchema: SessionList })
  list(@Query({ schema: ListSessions }) query: ListSessions): Promise<SessionList> {
    return this.sessions.list(query);
  }

  @Post('sessions/import')
  @Needs('operate')
  @ApiOperation({ summary: 'Bring a session in from JSON lines' })
  @ApiCreatedResponse({ standardSchema: Session })
  import(@CurrentToken() token: ApiTokenRow, @Body({ schema: ImportSession }) input: ImportSession): Promise<Session> {
    return this.sessions.import(token, input);
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
    return this.sessions.change(token, reference, change);
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
    return this.sessions.fork(token, reference, input);
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

  @Get('sessions/:ref/export')
  @Needs('observe')
  @ApiOperation({ summary: 'The session as JSON lines' })
  async export(
    @Param('ref', { schema: SessionReference }) reference: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const text = await this.sessions.export(reference);
    await reply.header('content-type', 'application/x-ndjson; charset=utf-8').send(text);
  }

  @Get('sessions/:ref/tools')
  @Needs('observe')
  @ApiOperation({ summary: 'The tools that there are for a session; what servers say of them is data' })
  @ApiOkResponse({ standardSchema: ToolSpecList })
  async tools(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
  ): Promise<ToolSpecList> {
    return { items: [...(await this.sessions.tools(token.name, reference))] };
  }

  @Get('sessions/:ref/grants')
  @Needs('observe')
  @ApiOperation({ summary: 'Tools that need no question in this session' })
  @ApiOkResponse({ standardSchema: ToolGrantList })
  async grants(@Param('ref', { schema: SessionReference }) reference: string): Promise<ToolGrantList> {
    return { items: [...(await this.sessions.grants(reference))] };
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
    return { items: [...(await this.sessions.grant(token.name, reference, grant))] };
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
    return { items: [...(await this.sessions.revoke(reference, grant))] };
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

  @Post('sessions/:ref/messages')
  @HttpCode(200)
  @Needs('operate')
  @ConfirmsToken()
  @ApiOperation({ summary: 'Say something; answers with server-sent events until the exchange has ended' })
  async message(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: SessionReference }) reference: string,
    @Body({ schema: SendMessage }) { text }: SendMessage,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.chats.message(token, reference, text, reply);
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
    return this.chats.stop(token.name, reference);
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
    const id = reference.includes('-') ? reference : (await this.sessions.find(reference)).id;
    await this.streams.events(id, query.after, lastEventId, reply);
  }

  @Get('notices')
  @Needs('observe')
  @ApiOperation({ summary: 'A word whenever anything changes anywhere, as server-sent events; not replayed' })
  notices(@Res() reply: FastifyReply): void {
    this.streams.notices(reply);
  }
}

function readLastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const seq = Number(header);
  if (Number.isSafeInteger(seq) && seq >= 0) return seq;
  throw new AishError('invalid_body', 'Last-Event-ID must be the id of an event of this stream, a whole number', {
    errors: [{ path: 'Last-Event-ID', message: 'not a whole number' }],
  });
}
