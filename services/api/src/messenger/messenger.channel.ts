import type { Decision } from '@aish/contracts/decisions';
import type { Database } from '@aish/database/client';
import { listMessengerAccounts } from '@aish/database/messengers.repository';
import { maskSecrets } from '@aish/secrets';
import type { Channel } from '../notifications/channel.js';
import type { NotificationText } from '../notifications/notification.js';
import { messageOf, plainText } from './message.js';
import type { Button, Messenger, MessengerName, Place } from './messenger.js';
import { signTicket } from './ticket.js';

/** Sends notifications to every bound account of a messenger. The buttons of a message work only for its account. */
export class MessengerChannel implements Channel {
  readonly name: MessengerName;
  readonly knowsPeople = true;

  constructor(
    private readonly db: Database,
    private readonly messenger: Messenger,
    private readonly key: Uint8Array,
  ) {
    this.name = messenger.name;
  }

  async send(notification: NotificationText, signal: AbortSignal, decision: Decision | null): Promise<void> {
    const accounts = await listMessengerAccounts(this.db.statements, this.name, notification.to);
    const masked = await maskSecrets(plainText(notification));
    const isQuestion = decision?.kind === 'question';
    const { text, buttons } = messageOf(notification, masked, this.messenger.maxChars, isQuestion);
    const sent = await Promise.allSettled(
      accounts.map(({ account, room }) => {
        const place: Place = { channel: this.name, account, room };
        const signed = buttons.flatMap(({ verdict, label }): Button[] => {
          const ticket = decision === null ? null : signTicket(this.key, decision, verdict, place);
          return ticket === null ? [] : [{ verdict, label, ticket }];
        });
        return this.messenger.send(place, { id: notification.id, text, buttons: signed }, signal);
      }),
    );
    // One person who has blocked the bot must not make aish send the message to the others again and again.
    const failed = sent.filter((each) => each.status === 'rejected');
    if (failed.length > 0 && failed.length === sent.length) throw failed[0]?.reason;
  }

  close(): void {
    // The poller closes the messenger.
  }
}
