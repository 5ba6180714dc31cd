import type { Incoming } from './messenger.js';

/** The meaning of a message or a button. */
export type Intent =
  | { readonly type: 'verdict'; readonly ticket: string }
  | { readonly type: 'bind'; readonly code: string }
  | { readonly type: 'unbind' }
  | { readonly type: 'answer'; readonly decision: string; readonly text: string }
  | { readonly type: 'chat'; readonly text: string }
  | { readonly type: 'forwarded' }
  | { readonly type: 'nothing' };

/** A bot in Telegram gets commands with a slash, and a code is easily copied in lower case or without dashes. */
const CODE =
  /^(?:\/?bind\s+)?([bcdfghjklmnpqrstvwxz]{4})[- ]?([bcdfghjklmnpqrstvwxz]{4})[- ]?([bcdfghjklmnpqrstvwxz]{4})$/i;

/** Reads a message. aish ignores forwarded messages, because they are somebody else's words. */
export function intentOf({ text, ticket, isForwarded }: Pick<Incoming, 'text' | 'ticket' | 'isForwarded'>): Intent {
  const words = text.trim();
  if (isForwarded) return { type: 'forwarded' };
  if (ticket !== null) return { type: 'verdict', ticket };
  const code = CODE.exec(words);
  if (code !== null) return { type: 'bind', code: code.slice(1).join('').toUpperCase() };
  if (/^\/?unbind$/i.test(words)) return { type: 'unbind' };
  const [, decision, answer] = /^d(\d{1,8})\s+(.+)$/is.exec(words) ?? [];
  if (decision !== undefined && answer !== undefined) return { type: 'answer', decision, text: answer.trim() };
  return words === '' || words.startsWith('/') ? { type: 'nothing' } : { type: 'chat', text: words };
}
