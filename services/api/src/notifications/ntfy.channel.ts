import { post, type Channel } from './channel.js';
import type { NotificationText } from './notification.js';

/**
 * Sends push messages through the JSON interface of ntfy (docs.ntfy.sh/publish). A message has a button for each
 * verdict that opens the page of the decision.
 */
export class NtfyChannel implements Channel {
  readonly name = 'ntfy';
  private readonly server: string;
  private readonly topic: string;

  /** @param url of the topic, `https://ntfy.example/topic` */
  constructor(
    url: string,
    private readonly token: string | undefined,
  ) {
    const { origin, pathname } = new URL(url);
    const parts = pathname.split('/').filter((part) => part !== '');
    this.topic = parts.pop() ?? '';
    this.server = [origin, ...parts].join('/');
  }

  async send(notification: NotificationText, signal: AbortSignal): Promise<void> {
    const { link, buttons } = notification;
    const body = {
      topic: notification.to ?? this.topic,
      title: notification.title,
      message: notification.text,
      ...(notification.decision === null ? { markdown: true } : {}),
      priority: notification.isUrgent ? 4 : 3,
      tags: [tagOf(notification)],
      // A repeated notification replaces the first one.
      sequence_id: notification.id,
      ...(link === null
        ? {}
        : {
            click: link,
            // People tap by mistake, so the page shows the action and asks again.
            actions: buttons.map(({ verdict, label }) => ({
              action: 'view',
              label,
              url: `${link}?verdict=${verdict}`,
            })),
          }),
    };
    const headers = {
      'content-type': 'application/json',
      ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
    };
    await post(this.server, { headers, body: JSON.stringify(body) }, signal);
  }

  close(): void {
    // There is nothing to close here.
  }
}

function tagOf({ decision, goal, kind }: NotificationText): string {
  if (decision !== null) return 'raised_hand';
  if (goal === null) return 'bar_chart';
  return kind === 'done' ? 'white_check_mark' : 'warning';
}
