import { setImmediate } from 'node:timers/promises';
import { chatApi } from '@aish/contracts/endpoints/sessions';
import { GoalState, isTerminal } from '@aish/contracts/goals';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { appendEvents } from '@aish/database/events.repository';
import { lockGoalOf } from '@aish/database/goals.repository';
import { inTransaction } from '@aish/database/transaction';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import { SseStream } from '@aish/http';
import type { MemoryCallers } from '@aish/memory';
import type { ChatRunner } from '@aish/sessions';
import { Serve, ServeRaw, type Call } from '../http/serve.js';
import { Controller, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConfirmsAccess } from '../http/needs.decorator.js';
import { AfterCommit } from '../after-commit.js';
import { Part } from '../part.js';
import { ChatStops } from './chat-stops.js';
import { sendItem, SessionStreams } from './session-streams.js';
import { SessionsService } from './sessions.service.js';

/** Takes messages to chats, and streams the answers. */
@Injectable()
export class ChatMessages {
  constructor(
    private readonly streams: SessionStreams,
    private readonly after: AfterCommit,
    @Part('db') private readonly db: Database,
    @Part('runner') private readonly runner: ChatRunner,
    @Part('callers') private readonly callers: MemoryCallers,
  ) {}

  /**
   * Sends a message and streams the exchange until it ends. @param token may be unchecked, because the transaction that
   * stores the message checks its validity and its space @throws AishError `unauthorized`, `forbidden`, `not_found` or
   * `busy`, before anything is sent
   */
  async send(token: ApiTokenRow, sessionId: string, text: string, reply: FastifyReply): Promise<void> {
    const context = { sessionId, owner: token.name, goalId: null };
    this.callers.know(context, { owner: token.owner, app: token.app });
    const feed = this.streams.feed(sessionId, true);
    let begun: { readonly seq: number; readonly exchange: number | null };
    try {
      begun = await this.runner.send(context, text, token.id);
    } catch (error) {
      try {
        begun = await this.sayToGoal(token, sessionId, text, error);
      } catch (why) {
        feed.close();
        throw why;
      }
    }
    await setImmediate(); // lets the runner send its request first
    const stream = new SseStream(reply);
    for await (const item of feed.items(begun.seq - 1, stream.closed, begun.exchange !== null)) {
      await sendItem(stream, item);
      if (item.type !== 'event') continue;
      const { body } = item.event;
      const isOver = body.type === 'exchange.ended' && body.exchange === begun.exchange;
      if (isOver || begun.exchange === null) {
        stream.end();
        return;
      }
    }
  }

  /**
   * Passes a message to a working goal, which reads it at its next turn. @throws `refused` if the session is not that
   * of such a goal
   */
  private async sayToGoal(
    token: ApiTokenRow,
    sessionId: string,
    text: string,
    refused: unknown,
  ): Promise<{ readonly seq: number; readonly exchange: null }> {
    if (!isAishError(refused, 'busy')) throw refused;
    const recorded = await inTransaction(this.db, async (tx) => {
      const goal = await lockGoalOf(tx, sessionId);
      if (goal === null || isTerminal(GoalState.parse(goal.state))) return null;
      const seq = await appendEvents(tx, sessionId, [{ type: 'goal.said', goalId: goal.id, text, by: token.name }]);
      return { seq, goalId: goal.id };
    });
    if (recorded === null) throw refused;
    const { seq, goalId } = recorded;
    await this.after.publish({ type: 'events', sessionId, seq, goalId, types: ['goal.said'] });
    return { seq, exchange: null };
  }
}

/** Serves messages and live streams of sessions. */
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
  notices({ token }: Call<typeof chatApi.notices>, reply: FastifyReply): void {
    this.streams.notices(token, reply);
  }
}
