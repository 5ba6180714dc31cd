import { chatApi } from '@aish/contracts/endpoints/sessions';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConfirmsAccess } from '../http/needs.decorator.js';
import { ChatMessages } from './chat-messages.js';
import { ChatStops } from './chat-stops.js';
import { SessionStreams } from './session-streams.js';
import { SessionsService } from './sessions.service.js';

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
