import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventReference, EventRuleReference } from '@aish/contracts/goals';
import {
  AddEventRule,
  AddEventSource,
  AddedEventSource,
  EventReceipt,
  EventRule,
  EventRuleList,
  EventSource,
  EventSourceList,
  EventSourceName,
  EventTest,
  ReceivedEvent,
  ReceivedEventList,
} from '@aish/contracts/incoming-events';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentToken, Needs } from '../http/needs.decorator.js';
import { eventBytes } from './event-body.js';
import { EventsService } from './events.service.js';

const Which = z.object({
  source: EventSourceName.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

@ApiTags('events')
@Controller('v1')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post('events/:name')
  @HttpCode(202)
  @Needs('nothing')
  @ApiOperation({ summary: 'Send an event; its source’s own secret proves it' })
  @ApiOkResponse({ standardSchema: EventReceipt })
  receive(
    @Param('name', { schema: EventSourceName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<EventReceipt> {
    return this.events.receive(name, request.headers, eventBytes(request), request.body);
  }

  @Post('event-sources')
  @Needs('admin')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Let a sender in; its secret is shown this once' })
  @ApiCreatedResponse({ standardSchema: AddedEventSource })
  addSource(
    @CurrentToken() token: ApiTokenRow,
    @Body({ schema: AddEventSource }) input: AddEventSource,
  ): Promise<AddedEventSource> {
    return this.events.addSource(token.name, input);
  }

  @Get('event-sources')
  @Needs('observe')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Senders of events, by name' })
  @ApiOkResponse({ standardSchema: EventSourceList })
  async sources(): Promise<EventSourceList> {
    return { items: await this.events.sources() };
  }

  @Delete('event-sources/:name')
  @Needs('admin')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Take a sender out, with its rules and events; goals stay' })
  @ApiOkResponse({ standardSchema: EventSource })
  removeSource(
    @CurrentToken() token: ApiTokenRow,
    @Param('name', { schema: EventSourceName }) name: string,
  ): Promise<EventSource> {
    return this.events.removeSource(token.name, name);
  }

  @Post('event-rules')
  @Needs('admin')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Say which goal an event gives' })
  @ApiCreatedResponse({ standardSchema: EventRule })
  addRule(@CurrentToken() token: ApiTokenRow, @Body({ schema: AddEventRule }) rule: AddEventRule): Promise<EventRule> {
    return this.events.addRule(token, rule);
  }

  @Get('event-rules')
  @Needs('observe')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Rules of events, in the order in which they are tried' })
  @ApiOkResponse({ standardSchema: EventRuleList })
  async rules(): Promise<EventRuleList> {
    return { items: await this.events.rules() };
  }

  @Delete('event-rules/:ref')
  @Needs('admin')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'End a rule; its goals stay' })
  @ApiOkResponse({ standardSchema: EventRule })
  removeRule(
    @CurrentToken() token: ApiTokenRow,
    @Param('ref', { schema: EventRuleReference }) reference: string,
  ): Promise<EventRule> {
    return this.events.removeRule(token.name, reference);
  }

  @Get('events')
  @Needs('observe')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Events that came, newest first, and what came of them' })
  @ApiOkResponse({ standardSchema: ReceivedEventList })
  async list(@Query({ schema: Which }) { source, limit }: z.infer<typeof Which>): Promise<ReceivedEventList> {
    return { items: await this.events.list(source ?? null, limit) };
  }

  @Get('events/:ref')
  @Needs('observe')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'One event' })
  @ApiOkResponse({ standardSchema: ReceivedEvent })
  find(@Param('ref', { schema: EventReference }) reference: string): Promise<ReceivedEvent> {
    return this.events.find(reference);
  }

  @Get('events/:ref/test')
  @Needs('observe')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'What an event would begin by today’s rules; nothing is done' })
  @ApiOkResponse({ standardSchema: EventTest })
  test(@Param('ref', { schema: EventReference }) reference: string): Promise<EventTest> {
    return this.events.test(reference);
  }

  @Post('events/:ref/replay')
  @HttpCode(200)
  @Needs('operate')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Take a kept event again, by today’s rules' })
  @ApiOkResponse({ standardSchema: EventReceipt })
  replay(@Param('ref', { schema: EventReference }) reference: string): Promise<EventReceipt> {
    return this.events.replay(reference);
  }
}
