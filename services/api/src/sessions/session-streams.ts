import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { lastEventSeq } from '@aish/database/events.repository';
import { SseStream } from '@aish/http';
import type { FastifyReply } from 'fastify';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { Presence } from '../notifications/presence.js';
import { SessionFeed, type FeedItem } from './event-feed.js';
import type { EventHub } from './event-hub.js';

/** Streams the events of sessions. */
@Injectable()
export class SessionStreams {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('hub') private readonly hub: EventHub,
    private readonly presence: Presence,
  ) {}

  /** Opens a feed of a session's events from now on. @param runsHere whether this process will record them */
  feed(sessionId: string, runsHere = false): SessionFeed {
    return new SessionFeed(this.db, this.hub, sessionId, runsHere);
  }

  /** @throws AishError `not_found` or `invalid_body`, before anything is sent */
  async events(
    sessionId: string,
    after: 'latest' | number | undefined,
    lastEventId: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    const latest = await lastEventSeq(this.db.statements, sessionId);
    if (latest === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    const from = after === 'latest' ? latest : (readLastEventId(lastEventId) ?? after ?? 0);
    const stream = new SseStream(reply);
    for await (const item of this.feed(sessionId).items(from, stream.closed)) await sendItem(stream, item);
  }

  notices(token: ApiTokenRow, reply: FastifyReply): void {
    const stream = new SseStream(reply);
    this.presence.opened(token, stream.closed);
    const stop = this.hub.listen((notice) => {
      if (notice === 'gap') stream.end(); // after a gap the client reconnects and lists again
      else if (notice.type === 'events') void stream.send({ event: 'events', data: notice });
      // Events of this process also come over the bus.
    });
    stream.closed.addEventListener('abort', stop, { once: true });
  }
}

/** Sends one item of a feed as a server-sent event. Stored events have their sequence number. */
export async function sendItem(stream: SseStream, item: FeedItem): Promise<void> {
  await (item.type === 'live'
    ? stream.send({ event: item.body.type, data: item.body })
    : stream.send({ id: String(item.event.seq), event: item.event.body.type, data: item.event }));
}

function readLastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const seq = Number(header);
  if (Number.isSafeInteger(seq) && seq >= 0) return seq;
  throw new AishError('invalid_body', 'Last-Event-ID must be the ID of an event of this stream, a whole number', {
    errors: [{ path: 'Last-Event-ID', message: 'not a whole number' }],
  });
}
