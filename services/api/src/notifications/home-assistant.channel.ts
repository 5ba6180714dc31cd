import { post, type Channel } from './channel.js';
import type { NotificationText } from './notification.js';

/**
 * Calls a notify action of Home Assistant through its REST interface (developers.home-assistant.io/docs/api/rest). Home
 * Assistant's phone apps read `data`: a tag replaces the same notification, and each button opens the page of the
 * decision.
 */
export class HomeAssistantChannel implements Channel {
  readonly name = 'homeassistant';
  private readonly url: URL;

  /** @param url of the action, `https://ha.example/api/services/notify/mobile_app_phone` */
  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.url = new URL(url);
  }

  async send(notification: NotificationText, signal: AbortSignal): Promise<void> {
    const { id, title, text, link, buttons, isUrgent, to } = notification;
    const actions =
      link === null ? [] : buttons.map(({ verdict, label }) => buttonOf(label, `${link}?verdict=${verdict}`));
    const data = {
      tag: id,
      ...(link === null ? {} : { url: link, clickAction: link }),
      ...(actions.length === 0 ? {} : { actions }),
      // These values wake a sleeping Android phone.
      ...(isUrgent ? { ttl: 0, priority: 'high' } : {}),
    };
    // The next person of an escalation is another action of the same server.
    const url = to === null ? this.url : new URL(encodeURIComponent(to), this.url);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}` };
    await post(url.href, { headers, body: JSON.stringify({ title, message: text, data }) }, signal);
  }

  close(): void {
    // There is nothing to close, because the channel holds nothing between two notifications.
  }
}

function buttonOf(
  title: string,
  uri: string,
): { readonly action: 'URI'; readonly title: string; readonly uri: string } {
  return { action: 'URI', title, uri };
}
