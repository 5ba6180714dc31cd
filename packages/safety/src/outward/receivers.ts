import { toolWords } from '../tool-names.js';

/** Words in the name of a field that holds a receiver: `to`, `recipient_username`, `forwardingEmail`. */
const RECEIVER =
  /^(to|cc|bcc|recipients?|receivers?|e?mails?|address(es)?|ibans?|accounts?|payees?|beneficiary|channels?|chat|room|participants?|attendees?|guests?|invitees?|members?|users?|usernames?|handles?|phones?|urls?|uri|links?|webhooks?|endpoint|hotel|restaurant|company|merchant|vendor|shop|seller|shared|repo|repository|group|topic|destination|target|remote|forward|forwarding|collaborators?|reviewers?|grantees?|owner|wallet)$/;
/** Words in the name of a field that show that it holds something else. */
const NO_RECEIVER =
  /^(from|sender|source|my|own|current|old|login|agent|type|role|shipping|path|dir|directory|folder|file|filename|node|database|table)$/;

/** Whether the name of a field says that it holds a receiver. */
export function isReceiver(key: string): boolean {
  const words = toolWords(key);
  // `user_id` only names the account that acts.
  if (/^(user|account|member)_?ids?$/i.test(words.join('_'))) return false;
  return words.some((word) => RECEIVER.test(word)) && !words.some((word) => NO_RECEIVER.test(word));
}

/**
 * Whether a text is an address. Names of people and channels within a service are not addresses, and only actions with
 * an address are outward.
 */
export function isAddress(text: string): boolean {
  return /@|^[a-z]+:\/\/|^[\w-]+(\.[\w-]+)+(\/|:|$)|\d{6,}/i.test(text.trim());
}
