import { toolWords } from '../tool-names.js';

/** What leaves the house: to whom, and in what way. `pay` is what commits the person's money, a booking too. */
export interface Outward {
  readonly way: 'pay' | 'send';
  readonly to: readonly string[];
  /** Addresses that stand in what is sent. */
  readonly mentions: readonly string[];
}

const LOOKS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|check|count|inspect|browse|download|retrieve|load|summari[sz]e|is|has|can)$/;
const PAYS =
  /^(pay|payment|transfer|transaction|money|buy|purchase|order|donate|donation|book|booking|reserve|reservation|checkout|withdraw|tip|refund|bid|trade|swap|stake|wire)$/;
const SENDS =
  /^(send|email|mail|message|sms|dm|forward|reply|notify|tweet|toot|post|broadcast|publish|upload|share|invite|announce|comment|submit|webhook|push|release)$/;
const LETS_IN = /^(users?|members?|participants?|collaborators?|attendees?|guests?|people)$/;
const RECEIVER =
  /^(to|cc|bcc|recipients?|receivers?|e?-?mails?|user_?emails?|address(es)?|ibans?|accounts?|payees?|beneficiary|channels?|chat(_?id)?|room|participants?|attendees?|guests?|invitees?|members?|users?|usernames?|handles?|phones?|phone_?numbers?|urls?|uri|links?|webhooks?|webhook_?url|endpoint|hotel|restaurant|company|merchant|vendor|shop|seller|shared_?with|repo(sitory)?|group|topic|destination|target)$/i;
/** Web addresses, mail addresses and account numbers in running text. */
const ADDRESSES =
  /\bhttps?:\/\/[^\s"'<>)\]]+|\bwww\.[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'<>)\],;]*|[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|\b[A-Z]{2}\d{2}[A-Z0-9]{10,30}\b/gi;
const MENTIONS_MAX = 50;

/** Whether a call of a tool sends, pays, publishes, shares, invites or posts; null when it does none of these. Pure. */
export function outwardCall(name: string, args: Readonly<Record<string, unknown>>): Outward | null {
  const words = toolWords(name);
  if (LOOKS.test(words[0] ?? '')) return null;
  const to = Object.entries(args).flatMap(([key, value]) => (RECEIVER.test(key) ? textsOf(value) : []));
  const pays = words.some((word) => PAYS.test(word));
  const sends =
    words.some((word) => SENDS.test(word)) || (words[0] === 'add' && words.some((word) => LETS_IN.test(word)));
  // An appointment with guests is an invitation.
  const writesTo = to.some(isAddress);
  if (!pays && !sends && !writesTo) return null;
  const rest = Object.entries(args).flatMap(([key, value]) => (RECEIVER.test(key) ? [] : textsOf(value)));
  return { way: pays ? 'pay' : 'send', to, mentions: addressesIn(rest.join('\n')) };
}

/** Names of a service's own people and channels are none: what leaves the house needs an address. */
export function isAddress(text: string): boolean {
  return /@|^[a-z]+:\/\/|^[\w-]+(\.[\w-]+)+(\/|:|$)|\d{6,}/i.test(text.trim());
}

export function addressesIn(text: string): readonly string[] {
  return [...new Set(text.match(ADDRESSES) ?? [])].slice(0, MENTIONS_MAX);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf);
  return [];
}
