import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AishError } from '@aish/contracts';
import { lastEventSeq, type Database } from '@aish/database';
import { SseStream } from '@aish/http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Needs } from '../http/needs.decorator.js';
import { feed } from './event-feed.js';
import { EventHub } from './event-hub.js';

const After = z.object({ after: z.union([z.literal('latest'), z.coerce.number().int().min(0)]).optional() });
type After = z.infer<typeof After>;

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
    const latest = await lastEventSeq(this.db.prisma, sessionId);
    if (latest === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    const from = after === 'latest' ? latest : (readLastEventId(lastEventId) ?? after ?? 0);
    const stream = new SseStream(reply);
    for await (const item of feed(this.db, this.hub, sessionId, from, stream.closed)) {
      await (item.type === 'live'
        ? stream.send({ event: item.body.type, data: item.body })
        : stream.send({ id: String(item.event.seq), event: item.event.body.type, data: item.event }));
    }
  }

  notices(reply: FastifyReply): void {
    const stream = new SseStream(reply);
    const stop = this.hub.listen((notice) => {
      if (notice === 'gap') stream.end(); // the client reconnects and lists again
      else if (notice.type === 'events') void stream.send({ event: 'events', data: notice });
    });
    stream.closed.addEventListener('abort', stop, { once: true });
  }
}

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1')
export class SessionsController {
  constructor(private readonly streams: SessionStreams) {}

  @Get('sessions/:id/events')
  @Needs('observe')
  @ApiOperation({ summary: 'What happens in a session, as server-sent events; resumes after Last-Event-ID' })
  async events(
    @Param('id', { schema: z.uuid() }) id: string,
    @Query({ schema: After }) query: After,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
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
