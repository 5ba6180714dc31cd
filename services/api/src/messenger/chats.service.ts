import { CreateSession } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { MemoryCallers } from '@aish/memory';
import type { ChatRunner } from '@aish/sessions';
import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { ChatsService } from '../sessions/chats.service.js';
import { SessionStreams } from '../sessions/session-streams.js';

/** Answers messages in chats, in the default space of each person. */
@Injectable()
export class MessengerChats {
  constructor(
    @Part('runner') private readonly runner: ChatRunner,
    @Part('callers') private readonly callers: MemoryCallers,
    private readonly chats: ChatsService,
    private readonly streams: SessionStreams,
  ) {}

  /** Creates a chat. @returns its ID @throws AishError `forbidden` */
  async create(token: ApiTokenRow): Promise<string> {
    mayChat(token);
    return (await this.chats.create(token, CreateSession.parse({}))).id;
  }

  /** Sends a message to a chat, and returns the answer. @throws AishError `forbidden`, `busy` */
  async ask(token: ApiTokenRow, id: string, text: string, signal: AbortSignal): Promise<string> {
    mayChat(token);
    const context = { sessionId: id, owner: token.name, goalId: null };
    this.callers.know(context, { owner: token.owner, app: token.app });
    const feed = this.streams.feed(id, true);
    let begun: { readonly seq: number; readonly exchange: number };
    try {
      begun = await this.runner.send(context, text, token.id);
    } catch (error) {
      feed.close();
      throw error;
    }
    const answers: string[] = [];
    for await (const item of feed.items(begun.seq - 1, signal, true)) {
      if (item.type !== 'event') continue;
      const { body } = item.event;
      if (body.type === 'answer.ended' && body.text !== '') answers.push(body.text);
      // Without the verdict this exchange does not end, and notifications are only for goals.
      if (body.type === 'decision.requested')
        return [...answers, `d${body.number} waits for your verdict in aish: ${body.action}`].join('\n\n');
      if (body.type === 'exchange.ended' && body.exchange === begun.exchange)
        return answers.length === 0 ? `The chat ended without an answer (${body.end}).` : answers.join('\n\n');
    }
    throw new AishError('service_stopping', 'aish is stopping. The answer will be in the chat');
  }
}

function mayChat({ scopes }: ApiTokenRow): void {
  if (!allows(scopes, 'operate')) throw new AishError('forbidden', 'Your token does not allow chats');
}
