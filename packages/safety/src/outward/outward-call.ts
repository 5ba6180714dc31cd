import { toolWords } from '../tool-names.js';
import { intentOf, type Intent } from './intents.js';
import { isAddress, isReceiver } from './receivers.js';

/**
 * An action that sends something out or brings something in:
 * - `pay` and `book` commit the person's money.
 * - `buy` is a purchase that names only the article.
 * - `engage` acts in the person's name: a star, an issue, a subscription.
 * - `fetch` saves the content of an address.
 * - `import` brings in a repository, an image or a feed, which may contain code.
 * - `plant` writes to a place that is read at a login or a start.
 * - `enter` makes an entry in the person's calendar.
 * - `visit` only reads a page, but its address may tell the server something.
 *
 * An intent is an act that may name no receiver.
 */
export interface Outward {
  readonly way: 'pay' | 'book' | 'buy' | 'send' | 'engage' | 'fetch' | 'import' | 'plant' | 'enter' | 'visit' | Intent;
  /** The receivers; for `buy` the articles, for `plant` the places, for `enter` the titles. */
  readonly to: readonly string[];
  /** Addresses that appear in the content that is sent. */
  readonly mentions: readonly string[];
}

const LOOKS =
  /^(get|list|read|search|find|describe|show|view|fetch|query|lookup|check|count|inspect|browse|download|retrieve|load|summari[sz]e|is|has|can)$/;
/** Measurements of an address. A call with such a name may also send something to a person. */
const PROBES = /^(scan|ping|probe|trace|traceroute|dig|nslookup|whois|resolve|geocode|measure)$/;
const PAYS =
  /^(pay|payment|transfer|transaction|money|buy|purchase|order|donate|donation|checkout|withdraw|tip|refund|bid|trade|swap|stake|wire)$/;
const SENDS =
  /^(send|email|mail|message|sms|dm|forward|reply|notify|tweet|toot|post|broadcast|publish|upload|share|announce|comment|submit|webhook|push|release|gist|paste|pastebin)$/;
/** Matches drafts, which send nothing. The expressions below match logins and other exceptions. */
const WAITS = /^drafts?$/;
const SIGNS_IN = /^(login|signin|authenticate|auth)$/;
const LETS_IN = /^(users?|members?|participants?|collaborators?|attendees?|guests?|people)$/;
const ENGAGES =
  /^(star|invite|follow|like|upvote|vote|react|subscribe|issue|issues|watch|endorse|rate|fork|grant|permissions?|access|collaborators?|forwarding|filter|webhooks?)$/;
const LETS_IN_BY_KEY = /^(key|keys|deploy)$/;
const KEY = /^(.*_)?(key|public_key)$/i;
const ARTICLE = /^(products?|items?|articles?|skus?|listings?|things?)(_?(ids?|names?|codes?))?$/i;
const BUYS = /^(buy|purchase|order|cart|basket|checkout|reorder)$/;
const BOOKS = /^(book|booking|reserve|reservation)$/;
const VISITS = /^(visit|open|navigate|goto|go|crawl|scrape|click|follow_link)$/;
/** Purchases by calls that name no receiver. `track_order` is not one of them. */
const COMMITS = /^(buy|purchase|place|checkout|reorder|donate|trade|bid)$/;
const FETCHES = /^(download|fetch|retrieve|load|save|import|pull|wget|curl)$/;
/** Verbs that keep what they get, even if the call names no place for it. */
const KEEPS = /^(download|save)$/;
const IMPORTS = /^(clone|import|pull|mirror)$/;
/** A repository or an image of a registry: `owner/name:tag`. */
const IMAGE = /^[\w.-]+(\/[\w.-]+)+(:[\w.-]+)?$/;
/** Fields for an origin of code or content that need not be a web address. */
const ORIGIN = /^(.*_)?(repo|repository|image|source|src|from|origin|remote)(_name)?$/i;
/** Fields of what is created or added from an address. */
const ADDED = /^(.*_)?(feed|torrent|magnet|iso|image|source|chart|plugin|template)$/i;
const WHOLE_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|magnet:|git@)\S+$/i;
const OPENS = /^(open|cat|head|tail|grep|stat|ls|diff|exists|analy[sz]e|explain|tree|hash)$/;
const PLACE =
  /^(.*_)?(path|dir|directory|folder|dest|destination|location|target|file|filename|output|save(_?(to|as))?)(_.*)?$/i;
/** Places that a shell, a login, a timer or a service manager reads by default. */
const READ_AT_START =
  /(^|\/)(\.ssh|(\.config\/)?autostart|cron(tabs?|\.\w+)?|systemd|init\.d|rc\.d|profile\.d|sudoers(\.d)?|\.git\/hooks|launch(agents|daemons)|startup)(\/|$)|(^|\/)(\.(bash|zsh|ksh)?(rc|env|_?profile|_?login|_logout)|authorized_keys|\.netrc|\.gitconfig|\.envrc)$/i;
const ENTERS = /^(create|add|new|insert|schedule|make|set)$/;
const CALENDAR = /^(calendar|event|events|appointment|reminder)$/;
const TITLE = /^(title|summary|name|subject|provider|doctor|with)$/i;
/** Words of code that sends something out. */
const CARRIES = /\b(post|put|upload|send|sendmail|smtplib|curl|wget|scp|nc)\b/i;
const RUN_KEY = /^(commands?|cmd|script|code|source|snippet)$/i;
/** A web address. Its path and the name of its server may carry information to the server. */
const TELLS = /^(https?:\/\/|www\.)[^/?\s]/i;
const ONLY_NUMBERS = /^[\d\s:.,/TZ+-]*$/;
/** Web addresses, mail addresses and account numbers in free text. */
const ADDRESSES =
  /\bhttps?:\/\/[^\s"'<>)\]]+|\bwww\.[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'<>)\],;]*|[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|\b[A-Z]{2}\d{2}[A-Z0-9]{10,30}\b/gi;
const MENTIONS_MAX = 50;

/**
 * Returns the outward action of a tool call: it sends, pays, publishes, shares, saves or enters something. Null if it
 * does none of these. Pure.
 */
export function outwardCall(name: string, args: Readonly<Record<string, unknown>>): Outward | null {
  const words = toolWords(name);
  const fields = fieldsOf(args);
  const of = (is: (key: string) => boolean): readonly string[] =>
    fields.filter(({ keys }) => keys.some(is)).map(({ text }) => text);
  const is = (verb: RegExp): boolean => words.some((word) => verb.test(word));
  const pair = pairOf(args);
  const to = [...of((key) => isReceiver(key) && !(pair.length > 0 && /^(owner|repo)$/.test(key))), ...pair];
  const reads =
    LOOKS.test(words[0] ?? '') || (PROBES.test(words[0] ?? '') && !is(SENDS) && !to.some((each) => each.includes('@')));
  // A link to a download can also be sent, so the verb must ask for a download.
  const fetches = words.slice(0, 2).some((word) => FETCHES.test(word)) && !is(SENDS) && !is(PAYS);
  const places = of((key) => PLACE.test(key));
  const planted = places.filter((place) => READ_AT_START.test(place));
  if (planted.length > 0 && (fetches || !(reads || OPENS.test(words[0] ?? ''))))
    return { way: 'plant', to: planted, mentions: [] };
  if (fetches && (places.length > 0 || KEEPS.test(words[0] ?? ''))) {
    const from = new Set([...to, ...of((key) => ORIGIN.test(key))]);
    return { way: 'fetch', to: [...from].filter(isAddress), mentions: [] };
  }
  const imported = fields.filter(isOrigin(words)).map(({ text }) => text);
  if (imported.length > 0 && !is(SENDS) && pair.length === 0 && !to.some((each) => /^[^/:]*@[^/:]*$/.test(each)))
    return { way: 'import', to: [...new Set([...imported, ...to.filter(isAddress)])], mentions: [] };
  if (reads || (words.slice(0, 2).some((word) => VISITS.test(word)) && !is(SENDS))) {
    const told = to.filter((address) => TELLS.test(address));
    return told.length === 0 ? null : { way: 'visit', to: told, mentions: [] };
  }
  const rest = fields.filter(({ keys }) => !keys.some(isReceiver)).map(({ text }) => text);
  const mentions = addressesIn(rest.join('\n'));
  const articles = of((key) => ARTICLE.test(key));
  const reviews = articles.length > 0 ? intentOf(is, ['review']) : null;
  if (reviews !== null) return { way: reviews, to: [], mentions };
  if (is(BUYS) && to.length === 0 && articles.length > 0) return { way: 'buy', to: articles, mentions: [] };
  if (is(BOOKS))
    return to.length > 0 ? { way: 'book', to, mentions } : { way: 'buy', to: rest.filter(isName), mentions };
  if (is(PAYS) && to.length > 0) return { way: 'pay', to, mentions };
  if (is(PAYS)) return is(COMMITS) ? { way: 'buy', to: rest.filter(isName), mentions } : { way: 'send', to, mentions };
  if (is(LETS_IN_BY_KEY) && words.some((word) => ENTERS.test(word)))
    return { way: 'engage', to: of((key) => KEY.test(key)), mentions: [] };
  const admits = to.length === 0 ? intentOf(is, ['admit']) : null;
  if (admits !== null) return { way: admits, to: [], mentions };
  if (is(ENGAGES) || pair.length > 0 || (is(/^add$/) && is(LETS_IN))) return { way: 'engage', to, mentions };
  const intent = intentOf(is, ['accept', 'move', 'admit', ...(to.length === 0 ? (['publish'] as const) : [])]);
  if (intent !== null) return { way: intent, to, mentions };
  if (is(WAITS) && !is(SENDS)) return null;
  // An appointment with guests is an invitation, so it sends something.
  if (is(SIGNS_IN)) return { way: 'send', to: to.filter((address) => !address.includes('@')), mentions: [] };
  if (is(SENDS) || to.some(isAddress)) return { way: 'send', to, mentions };
  if (is(ENTERS) && is(CALENDAR)) return { way: 'enter', to: of((key) => TITLE.test(key)), mentions: [] };
  const carried = of((key) => RUN_KEY.test(key)).filter((text) => CARRIES.test(text));
  return carried.length > 0 ? { way: 'send', to: [], mentions: addressesIn(carried.join('\n')) } : null;
}

interface Field {
  /** The names of this field and of all fields that contain it. */
  readonly keys: readonly string[];
  readonly text: string;
}

function fieldsOf(value: unknown, keys: readonly string[] = []): readonly Field[] {
  if (typeof value === 'string') return [{ keys, text: value }];
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(each, keys));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => fieldsOf(each, [...keys, key]));
}

/** Returns a repository as `owner/repo` if the fields name one, as in tools for GitHub. */
function pairOf({ owner, repo }: Readonly<Record<string, unknown>>): readonly string[] {
  return typeof owner === 'string' && typeof repo === 'string' ? [`${owner}/${repo}`] : [];
}

/** Whether a field says from where a call with such a name brings something in. */
function isOrigin(words: readonly string[]): (field: Field) => boolean {
  const imports =
    words.slice(0, 2).some((word) => IMPORTS.test(word)) && !words.some((word) => /^requests?$/.test(word));
  // What is added by a known field for addresses may also send something.
  const adds = /^(add|create)$/.test(words[0] ?? '');
  return ({ keys, text }) =>
    imports
      ? WHOLE_ADDRESS.test(text) || (IMAGE.test(text) && keys.some((key) => ORIGIN.test(key)))
      : adds && WHOLE_ADDRESS.test(text) && keys.some((key) => ADDED.test(key));
}

const isName = (text: string): boolean => text.length > 2 && text.length < 80 && !ONLY_NUMBERS.test(text);

export function addressesIn(text: string): readonly string[] {
  const found = text.match(ADDRESSES) ?? [];
  return [...new Set(found.map((address) => address.replace(/[.,;:!?]+$/, '')))].slice(0, MENTIONS_MAX);
}
