import type { Decision } from '@aish/contracts/decisions';
import type { ChannelName } from '@aish/contracts/escalation';
import { AishError } from '@aish/contracts/problems';
import type { NotificationText } from './notification.js';

/** A way to send notifications. */
export interface Channel {
  readonly name: ChannelName;
  /** Whether its receivers are known people, who may approve actions without NOTIFY_PROCEED. */
  readonly knowsPeople?: boolean;
  /**
   * Sends one notification to the person whom it names, or to everyone who gets notifications. A repeated notification
   * keeps its ID. @param decision what the notification shows; null for none, and for several at once. @throws the
   * receiver's error without any secret; the notifier then tries again later
   */
  send(notification: NotificationText, signal: AbortSignal, decision: Decision | null): Promise<void>;
  close(): void;
}

/** @throws AishError `notification_refused` with the status, unless the response is a success */
export async function post(
  url: string,
  init: { readonly headers: Record<string, string>; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  // A redirect would send the message to an address that nobody has named.
  const response = await fetch(url, { method: 'POST', ...init, redirect: 'error', signal });
  await response.body?.cancel();
  if (!response.ok) throw new AishError('notification_refused', `answered with status ${response.status}`);
}
