import { toolWords } from '../tool-names.js';

/**
 * What leaves the house, or comes into it. `pay` commits the person's money, a booking too; `buy` is a purchase of which
 * only the article is named. `engage` acts in the person's name: a star, an issue, a subscription. `fetch` saves what an
 * address holds, `plant` writes where a login or start reads, `enter` makes an entry in the person's calendar.
 */
export interface Outward {
  readonly way: 'pay' | 'buy' | 'send' | 'engage' | 'fetch' | 'plant' | 'enter';
  /** The receivers; of `buy` the articles, of `plant` the places, of `enter` the titles. */
  readonly to: readonly string[];
  /** Addresses that stand in what is sent. */
  readonly mentions: readonly string[];
}

const LOOKS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|check|count|inspect|browse|download|retrieve|load|summari[sz]e|is|has|can)$/;
const PAYS =
  /^(pay|payment|transfer|transaction|money|buy|purchase|order|donate|donation|book|booking|reserve|reservation|checkout|withdraw|tip|refund|bid|trade|swap|stake|wire)$/;
const SENDS =
  /^(send|email|mail|message|sms|dm|forward|reply|notify|tweet|toot|post|broadcast|publish|upload|share|announce|comment|submit|webhook|push|release)$/;
const LETS_IN = /^(users?|members?|participants?|collaborators?|attendees?|guests?|people)$/;
const RECEIVER =
  /^(to|cc|bcc|recipients?|receivers?|e?-?mails?|user_?emails?|address(es)?|ibans?|accounts?|payees?|beneficiary|channels?|chat(_?id)?|room|participants?|attendees?|guests?|invitees?|members?|users?|usernames?|handles?|phones?|phone_?numbers?|urls?|uri|links?|webhooks?|webhook_?url|endpoint|hotel|restaurant|company|merchant|vendor|shop|seller|shared_?with|repo(sitory)?(_?(full_?)?(name|id|url))?|group|topic|destination|target)$/i;
const ENGAGES = /^(star|invite|follow|like|upvote|vote|react|subscribe|issue|issues|watch|endorse|rate)$/;
const ARTICLE = /^(products?|items?|articles?|skus?|listings?|things?)(_?(ids?|names?|codes?))?$/i;
const BUYS = /^(buy|purchase|order|cart|basket|checkout|reorder)$/;
const FETCHES = /^(download|fetch|retrieve|load|save|import|pull|wget|curl)$/;
const OPENS = /^(open|cat|head|tail|grep|stat|ls|diff|exists|analy[sz]e|explain|tree|hash)$/;
const PLACE = /^(.*_)?(path|dir|directory|folder|dest|destination|location|target|file|filename|output)(_.*)?$/i;
/** What a shell, a login, a timer or a service manager reads by itself. */
const READ_AT_START =
  /(^|\/)(\.ssh|(\.config\/)?autostart|cron(tabs?|\.\w+)?|systemd|init\.d|rc\.d|profile\.d|sudoers(\.d)?|\.git\/hooks|launch(agents|daemons)|startup)(\/|$)|(^|\/)(\.(bash|zsh|ksh)?(rc|env|_?profile|_?login|_logout)|authorized_keys|\.netrc|\.gitconfig|\.envrc)$/i;
const ENTERS = /^(create|add|new|insert|schedule|make|set)$/;
const CALENDAR = /^(calendar|event|events|appointment|reminder)$/;
const TITLE = /^(title|summary|name|subject)$/i;
/** Web addresses, mail addresses and account numbers in running text. */
const ADDRESSES =
  /\bhttps?:\/\/[^\s"'<>)\]]+|\bwww\.[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'<>)\],;]*|[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|\b[A-Z]{2}\d{2}[A-Z0-9]{10,30}\b/gi;
const MENTIONS_MAX = 50;

/** What a call of a tool sends, pays, publishes, shares, saves or enters; null when it does none of these. Pure. */
export function outwardCall(name: string, args: Readonly<Record<string, unknown>>): Outward | null {
  const words = toolWords(name);
  const of = (key: RegExp): readonly string[] =>
    Object.entries(args).flatMap(([each, value]) => (key.test(each) ? textsOf(value) : []));
  const is = (verb: RegExp): boolean => words.some((word) => verb.test(word));
  const reads = LOOKS.test(words[0] ?? '');
  // A link to a download may be sent, too.
  const fetches = words.slice(0, 2).some((word) => FETCHES.test(word)) && !is(SENDS) && !is(PAYS);
  const planted = of(PLACE).filter((place) => READ_AT_START.test(place));
  if (planted.length > 0 && (fetches || !(reads || OPENS.test(words[0] ?? ''))))
    return { way: 'plant', to: planted, mentions: [] };
  if (fetches && of(PLACE).length > 0) return { way: 'fetch', to: of(RECEIVER).filter(isAddress), mentions: [] };
  if (reads) return null;
  const to = of(RECEIVER);
  const rest = Object.entries(args).flatMap(([key, value]) => (RECEIVER.test(key) ? [] : textsOf(value)));
  const mentions = addressesIn(rest.join('\n'));
  if (is(BUYS) && to.length === 0 && of(ARTICLE).length > 0) return { way: 'buy', to: of(ARTICLE), mentions: [] };
  if (is(PAYS)) return { way: 'pay', to, mentions };
  if (is(ENGAGES) || (words.some((word) => word === 'add') && is(LETS_IN))) return { way: 'engage', to, mentions };
  // An appointment with guests is an invitation.
  if (is(SENDS) || to.some(isAddress)) return { way: 'send', to, mentions };
  if (ENTERS.test(words[0] ?? '') && is(CALENDAR)) return { way: 'enter', to: of(TITLE), mentions: [] };
  return null;
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
