import { post, type Channel } from './channel.js';
import type { NotificationText } from './notification.js';

const URGENT = 8;
const NORMAL = 5;

/**
 * Sends notifications to Gotify through its REST interface (gotify.net/docs/pushmsg). Its apps show no buttons, so the
 * text ends with a link to the page that has them.
 */
export class GotifyChannel implements Channel {
  readonly name = 'gotify';

  constructor(
    private readonly server: string,
    /** The token of the application in Gotify. */
    private readonly token: string,
  ) {}

  async send({ id, title, text, link, isUrgent, decision }: NotificationText, signal: AbortSignal): Promise<void> {
    const body = {
      title,
      message: link === null ? text : `${text}\n\n${link}`,
      priority: isUrgent ? URGENT : NORMAL,
      extras: {
        'aish::notification': { id },
        ...(link === null ? {} : { 'client::notification': { click: { url: link } } }),
        ...(decision === null ? { 'client::display': { contentType: 'text/markdown' } } : {}),
      },
    };
    const headers = { 'content-type': 'application/json', 'x-gotify-key': this.token };
    await post(`${this.server.replace(/\/+$/, '')}/message`, { headers, body: JSON.stringify(body) }, signal);
  }

  close(): void {
    // There is nothing to close, because the channel holds nothing between two notifications.
  }
}
