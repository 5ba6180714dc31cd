import { createHmac } from 'node:crypto';
import { post, type Channel } from './channel.js';
import type { NoticeText } from './notice.js';

/** A program of the owner's, told in JSON and signed as standardwebhooks.com says. */
export class WebhookChannel implements Channel {
  readonly name = 'webhook';

  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  async send(notice: NoticeText, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ type: notice.goal === null ? notice.kind : `goal.${notice.kind}`, ...notice });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', this.secret).update(`${notice.id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': notice.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    await post(this.url, { headers, body }, signal);
  }

  close(): void {
    // Nothing is held between two notices.
  }
}
