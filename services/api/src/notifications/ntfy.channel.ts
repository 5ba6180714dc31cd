import { post, type Channel } from './channel.js';
import type { NoticeText } from './notice.js';

/** ntfy, by its JSON interface (docs.ntfy.sh/publish): a push message with a button for each verdict, which opens its page. */
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

  async send(notice: NoticeText, signal: AbortSignal): Promise<void> {
    const { link, buttons } = notice;
    const body = {
      topic: notice.to ?? this.topic,
      title: notice.title,
      message: notice.text,
      ...(notice.decision === null ? { markdown: true } : {}),
      priority: notice.isUrgent ? 4 : 3,
      tags: [tagOf(notice)],
      // The same notice once more takes the place of the first one.
      sequence_id: notice.id,
      ...(link === null
        ? {}
        : {
            click: link,
            // A thumb slips: the page shows the action and asks once more.
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
    // Nothing is held between two notices.
  }
}

function tagOf({ decision, goal, kind }: NoticeText): string {
  if (decision !== null) return 'raised_hand';
  if (goal === null) return 'bar_chart';
  return kind === 'done' ? 'white_check_mark' : 'warning';
}
