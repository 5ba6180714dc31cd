import type { NotificationText } from '../notifications/notification.js';

/** Nobody should approve an action that they have not seen, so such a message offers no Proceed button. */
const NOT_WHOLE = 'The whole action is not in this message. Open it in aish before you approve it.';
const HIDDEN = 'A secret is hidden in this message.';

/** A message to a person, without the tickets of its buttons. */
export interface MessageText {
  readonly text: string;
  readonly buttons: NotificationText['buttons'];
}

/** Returns the text of a notification. Messengers get plain text, so escapes for Markdown are removed. */
export function plainText({ title, text, decision }: Pick<NotificationText, 'title' | 'text' | 'decision'>): string {
  return `${title}\n\n${decision === null ? text.replaceAll(/\\([\\`*_[\]<>])/g, '$1') : text}`;
}

/**
 * Returns the message of a notification. Proceed is only there if the message shows the whole action: not a shortened
 * one, and not one with hidden secrets.
 *
 * @param masked the plain text with its secrets hidden
 * @param isQuestion whether the decision is a question, which a message in words answers
 */
export function messageOf(
  notification: Pick<NotificationText, 'title' | 'text' | 'decision' | 'buttons' | 'link'>,
  masked: string,
  maxChars: number,
  isQuestion: boolean,
): MessageText {
  const { decision, link } = notification;
  const isMasked = masked !== plainText(notification);
  const answerBy = isQuestion && decision !== null ? `To answer, send: d${decision.number} your answer` : null;
  const below = [
    ...(isMasked ? [HIDDEN] : []),
    ...(answerBy === null ? [] : [answerBy]),
    ...(link === null ? [] : [link]),
  ];
  const whole = [masked, ...below].join('\n\n');
  const fits = whole.length <= maxChars;
  const isWhole = fits && !isMasked && decision?.isWhole !== false;
  if (fits && (isWhole || decision === null)) return { text: whole, buttons: notification.buttons };
  const end = [...(decision === null ? [] : [NOT_WHOLE]), ...below].join('\n\n');
  const room = Math.max(0, maxChars - end.length - 3);
  const shown = masked.length <= room ? masked : `${masked.slice(0, room)}…`;
  return {
    text: `${shown}\n\n${end}`,
    buttons: notification.buttons.filter(({ verdict }) => verdict !== 'proceed'),
  };
}
