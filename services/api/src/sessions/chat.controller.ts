import { setImmediate } from 'node:timers/promises';
import { chatApi } from '@aish/contracts/endpoints/sessions';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { SseStream } from '@aish/http';
import type { MemoryCallers } from '@aish/memory';
import type { ChatRunner } from '@aish/sessions';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConfirmsAccess } from '../http/needs.decorator.js';
import { Part } from '../part.js';
import { ChatStops } from './chat-stops.js';
import { sendItem, SessionStreams } from './session-streams.js';
import { SessionsService } from './sessions.service.js';

/** Messages to chats, and what is streamed of their answers. */
@Injectable()
export class ChatMessages {
  constructor(
    private readonly streams: SessionStreams,
    @Part('driver') private readonly driver: ChatRunner,
    @Part('callers') private readonly callers: MemoryCallers,
  ) {}

  /**
   * Sends a message and streams what comes of it. The stream ends with the exchange.
   * @param token need not have been looked at: whether it holds and may work there is seen when the message is taken.
   * @throws AishError `unauthorized`, `forbidden`, `not_found`, `busy`, before anything is sent.
   */
  async send(token: ApiTokenRow, sessionId: string, text: string, reply: FastifyReply): Promise<void> {
    const context = { sessionId, owner: token.name, goalId: null };
    this.callers.know(context, { owner: token.owner, app: token.app });
    const feed = this.streams.feed(sessionId, true);
    let begun: { readonly seq: number; readonly exchange: number };
    try {
      begun = await this.driver.send(context, text, token.id);
    } catch (error) {
      feed.close();
      throw error;
    }
    await setImmediate(); // what the driver has to ask goes out first
    const stream = new SseStream(reply);
    for await (const item of feed.items(begun.seq - 1, stream.closed, true)) {
      await sendItem(stream, item);
      if (item.type !== 'event' || item.event.body.type !== 'exchange.ended') continue;
      if (item.event.body.exchange === begun.exchange) {
        stream.end();
        return;
      }
    }
  }
}

/** What is said in a session, and what is heard of it. */
@Controller()
export class ChatController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly messages: ChatMessages,
    private readonly stops: ChatStops,
    private readonly streams: SessionStreams,
  ) {}

  @ServeRaw(chatApi.message)
  @ConfirmsAccess()
  async message(
    { token, params: { ref: reference }, body: { text } }: Call<typeof chatApi.message>,
    reply: FastifyReply,
  ): Promise<void> {
    await this.messages.send(token, await this.sessions.idOf(reference, token.id), text, reply);
  }

  @Serve(chatApi.stop)
  stop({ token, params: { ref: reference } }: Call<typeof chatApi.stop>) {
    return this.stops.stop(token.name, reference);
  }

  @ServeRaw(chatApi.events)
  async events(
    { params: { ref: reference }, query, request }: Call<typeof chatApi.events>,
    reply: FastifyReply,
  ): Promise<void> {
    const lastEventId = request.headers['last-event-id'];
    await this.streams.events(await this.sessions.idOf(reference), query.after, [lastEventId].flat()[0], reply);
  }

  @ServeRaw(chatApi.notices)
  notices(_: Call<typeof chatApi.notices>, reply: FastifyReply): void {
    this.streams.notices(reply);
  }
}
