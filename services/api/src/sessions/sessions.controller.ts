import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ChatsService } from './chats.service.js';
import { SessionsService } from './sessions.service.js';

@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly chats: ChatsService,
  ) {}

  @Serve(sessionsApi.create)
  create({ token, body: input }: Call<typeof sessionsApi.create>) {
    return this.chats.create(token, input);
  }

  @Serve(sessionsApi.list)
  list({ query }: Call<typeof sessionsApi.list>) {
    return this.sessions.list(query);
  }

  @Serve(sessionsApi.show)
  show({ params: { ref: reference } }: Call<typeof sessionsApi.show>) {
    return this.sessions.find(reference);
  }

  @Serve(sessionsApi.change)
  change({ token, params: { ref: reference }, body: change }: Call<typeof sessionsApi.change>) {
    return this.chats.change(token, reference, change);
  }

  @Serve(sessionsApi.remove)
  async remove({ token, params: { ref: reference } }: Call<typeof sessionsApi.remove>) {
    await this.sessions.remove(token.name, reference);
  }

  @Serve(sessionsApi.fork)
  fork({ token, params: { ref: reference }, body: input }: Call<typeof sessionsApi.fork>) {
    return this.chats.fork(token, reference, input);
  }

  @Serve(sessionsApi.turns)
  async turns({ params: { ref: reference }, query: { after, limit } }: Call<typeof sessionsApi.turns>) {
    return { items: await this.sessions.history(reference, after ?? null, limit) };
  }

  @Serve(sessionsApi.evidence)
  async evidence({ params: { ref: reference } }: Call<typeof sessionsApi.evidence>) {
    return { items: await this.sessions.evidence(reference) };
  }

  @ServeRaw(sessionsApi.result)
  async result(
    { params: { ref: reference, handle } }: Call<typeof sessionsApi.result>,
    reply: FastifyReply,
  ): Promise<void> {
    const { mime_type: type, content } = await this.sessions.result(reference, handle);
    // Content from a server is never shown as one of aish's own pages.
    void reply.header('x-content-type-options', 'nosniff').header('content-disposition', 'attachment');
    if (type === null) await reply.header('content-type', 'text/plain; charset=utf-8').send(content);
    else await reply.header('content-type', type).send(Buffer.from(content, 'base64'));
  }
}
