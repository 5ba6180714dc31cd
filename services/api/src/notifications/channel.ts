import type { ChannelName } from '@aish/contracts/escalation';
import { AishError } from '@aish/contracts/problems';
import type { NoticeText } from './notice.js';

/** A way to reach people. */
export interface Channel {
  readonly name: ChannelName;
  /**
   * Hands one notice over, to whom it names or else to whom all notices go. Sending the same notice again shows the receiver the same id.
   * @throws what the other side said, without any secret; the notifier tries again later.
   */
  send(notice: NoticeText, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** @throws AishError `notice_refused`, naming the status, for an answer that is no success. */
export async function post(
  url: string,
  init: { readonly headers: Record<string, string>; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  // A redirect would carry the message to a place that nobody has named.
  const response = await fetch(url, { method: 'POST', ...init, redirect: 'error', signal });
  await response.body?.cancel();
  if (!response.ok) throw new AishError('notice_refused', `answered with status ${response.status}`);
}
