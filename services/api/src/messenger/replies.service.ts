import type { GiveVerdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import { allows } from '@aish/contracts/tokens';
import type { Database } from '@aish/database/client';
import {
  findMessengerAccount,
  setMessengerSession,
  unbindMessengerAccount,
} from '@aish/database/messengers.repository';
import { findSession } from '@aish/database/sessions.repository';
import { findSpaceOf } from '@aish/database/spaces.repository';
import { mustHold, type ApiTokenRow } from '@aish/database/tokens.repository';
import { Injectable } from '@nestjs/common';
import { DecisionsService } from '../decisions/decisions.service.js';
import { answered } from '../notifications/decision.page.js';
import { Part } from '../part.js';
import { MessengerBindings } from './bindings.service.js';
import { MessengerChats } from './chats.service.js';
import type { Intent } from './intent.js';
import type { Incoming } from './messenger.js';
import { checkTicket, numberIn } from './ticket.js';

/** Does what a person asks for in a messenger, with the person's own token. */
@Injectable()
export class MessengerReplies {
  constructor(
    @Part('db') private readonly db: Database,
    private readonly bindings: MessengerBindings,
    private readonly decisions: DecisionsService,
    private readonly chats: MessengerChats,
  ) {}

  /**
   * Returns the answer to what has arrived. Null means silence: aish answers strangers only if they send a code.
   *
   * @throws AishError with the reason for the person, such as `link_invalid`, `forbidden` or `decision_taken`
   */
  async answer(incoming: Incoming, intent: Intent, signal: AbortSignal): Promise<string | null> {
    const { channel, account, room } = incoming;
    if (intent.type === 'nothing') return null;
    if (intent.type === 'bind') {
      const { owner } = await this.bindings.bind(incoming, intent.code);
      return `This account now belongs to ${owner}. To end that, send: unbind`;
    }
    const bound = await findMessengerAccount(this.db.statements, channel, account);
    if (bound === null || bound.room !== room) return null;
    if (intent.type === 'forwarded') return 'aish ignores forwarded messages.';
    if (intent.type === 'unbind') {
      await unbindMessengerAccount(this.db.statements, channel, account);
      return 'This account no longer belongs to anyone.';
    }
    const token = await mustHold(this.db.statements, bound.tokenId);
    if (intent.type === 'verdict') return this.verdict(token, incoming, intent.ticket);
    if (intent.type === 'answer') return this.answerQuestion(token, intent.decision, intent.text);
    return this.chats.ask(token, await this.chatOf(token, incoming, bound.sessionId), intent.text, signal);
  }

  /** Returns the account's chat. A chat that was deleted is replaced. */
  private async chatOf(token: ApiTokenRow, { channel, account }: Incoming, known: string | null): Promise<string> {
    if (known !== null && (await findSession(this.db.statements, known)) !== null) return known;
    const id = await this.chats.create(token);
    await setMessengerSession(this.db.statements, channel, account, id);
    return id;
  }

  private async verdict(token: ApiTokenRow, incoming: Incoming, ticket: string): Promise<string> {
    const number = numberIn(ticket);
    if (number === null) throw new AishError('link_invalid', 'This button is not from aish');
    const decision = await this.decisions.find(number);
    if (decision.state !== 'pending') return `d${number} already has its verdict. ${answered(decision)}`;
    const verdict = checkTicket(this.bindings.key, ticket, decision, incoming);
    const { version } = decision;
    return this.decide(token, number, { verdict, ...(version === undefined ? {} : { version }) });
  }

  private async answerQuestion(token: ApiTokenRow, number: string, text: string): Promise<string> {
    const decision = await this.decisions.find(number);
    if (decision.kind !== 'question') {
      throw new AishError('invalid_body', `d${number} is not a question. Use the buttons of its message`);
    }
    return this.decide(token, number, { verdict: 'proceed', answer: { answer: text } });
  }

  private async decide(token: ApiTokenRow, number: string, given: GiveVerdict): Promise<string> {
    if (!allows(token.scopes, 'decide')) throw new AishError('forbidden', 'Your token does not allow verdicts');
    const space = await findSpaceOf(this.db.statements, 'decisions', number);
    if (space !== null) checkRole(space, token, 'decide');
    const giver = { name: token.name, owner: token.owner, isAdmin: allows(token.scopes, 'admin') };
    return `d${number}: ${answered(await this.decisions.decide(giver, number, given))}`;
  }
}
