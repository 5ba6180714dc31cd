import { createHmac } from 'node:crypto';
import { post, type Channel } from './channel.js';
import type { NotificationText } from './notification.js';

/** Posts JSON to the owner's program, signed as standardwebhooks.com specifies. */
export class WebhookChannel implements Channel {
  readonly name = 'webhook';

  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  async send(notification: NotificationText, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({
      type: notification.goal === null ? notification.kind : `goal.${notification.kind}`,
      ...notification,
    });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', this.secret)
      .update(`${notification.id}.${timestamp}.${body}`)
      .digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': notification.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    await post(this.url, { headers, body }, signal);
  }

  close(): void {
    // There is nothing to close here.
  }
}
