import { CreateSession } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import type { Database } from '@aish/database/client';
import { setMessengerSession } from '@aish/database/messengers.repository';
import { findSession } from '@aish/database/sessions.repository';
import type { ApiTokenRow } from '@aish/database/tokens.repository';
import type { MemoryCallers } from '@aish/memory';
import type { ChatRunner } from '@aish/sessions';
import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { ChatsService } from '../sessions/chats.service.js';
import { SessionStreams } from '../sessions/session-streams.js';
import type { Place } from './messenger.js';

/** Answers messages in a chat. Each account has one chat, in the default space of its person. */
@Injectable()
export class MessengerChats {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('driver') private readonly driver: ChatRunner,
    @Part('callers') private readonly callers: MemoryCallers,
    private readonly chats: ChatsService,
    private readonly streams: SessionStreams,
  ) {}

  /** Sends a message to the account's chat, and returns the answer. @throws AishError `forbidden`, `busy` */
  async ask(
    token: ApiTokenRow,
    place: Place,
    sessionId: string | null,
    text: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (!allows(token.scopes, 'operate')) throw new AishError('forbidden', 'Your token may not chat');
    const id = await this.session(token, place, sessionId);
    const context = { sessionId: id, owner: token.name, goalId: null };
    this.callers.know(context, { owner: token.owner, app: token.app });
    const feed = this.streams.feed(id, true);
    let begun: { readonly seq: number; readonly exchange: number };
    try {
      begun = await this.driver.send(context, text, token.id);
    } catch (error) {
      feed.close();
      throw error;
    }
    const said: string[] = [];
    for await (const item of feed.items(begun.seq - 1, signal, true)) {
      if (item.type !== 'event') continue;
      const { body } = item.event;
      if (body.type === 'answer.ended' && body.text !== '') said.push(body.text);
      // Without the verdict this exchange does not end, and notifications are only for goals.
      if (body.type === 'decision.requested')
        return [...said, `d${body.number} waits for your verdict in aish: ${body.action}`].join('\n\n');
      if (body.type === 'exchange.ended' && body.exchange === begun.exchange)
        return said.length === 0 ? `The chat ended without an answer (${body.end}).` : said.join('\n\n');
    }
    throw new AishError('service_stopping', 'aish is stopping. The answer will be in the chat');
  }

  /** Returns the account's chat. A chat that was deleted is replaced. */
  private async session(token: ApiTokenRow, { channel, account }: Place, known: string | null): Promise<string> {
    if (known !== null && (await findSession(this.db.statements, known)) !== null) return known;
    const { id } = await this.chats.create(token, CreateSession.parse({}));
    await setMessengerSession(this.db.statements, channel, account, id);
    return id;
  }
}
