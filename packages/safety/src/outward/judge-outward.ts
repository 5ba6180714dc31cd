import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { isAddress, outwardCall, type Outward } from './outward-call.js';
import { outwardCommand } from './outward-command.js';
import { originOf, type AddressOrigin, type SessionWords } from './address-origin.js';
import { contentWords, isAkin, isOfNamedOwner } from './named-by-person.js';

/**
 * The rule for sending something to somebody whom the person has not named. A grant of a rule never covers its
 * findings.
 */
export const OUTWARD = 'outward.address';

/** Whether an action sends anything to somebody else. The origin of the address matters only for such actions. Pure. */
export const isOutward = (action: OutwardAction): boolean => outwardOf(action).length > 0;

export type OutwardAction =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/**
 * Returns the objection to sending, paying, publishing, sharing, inviting or posting: the person did not name the
 * destination, or refused it. Money goes only to destinations that the person named. Anything else may also go to an
 * address from a field of a record. It may never go to an address from free text, because the author of the text chose
 * that address. Null if there is no objection. Pure.
 */
export function judgeOutward(action: OutwardAction, words: SessionWords): Classification | null {
  for (const outward of outwardOf(action)) {
    const reason = objection(outward, words, action.kind);
    if (reason !== null) return { verdict: 'unknown', reason, ruleId: OUTWARD, span: null, by: 'rule' };
  }
  return null;
}

/** Adds the outward objection, if there is one, to the findings of the rules. Pure. */
export function withOutward(found: Classification, action: OutwardAction, words: SessionWords): Classification {
  const isOpen = found.verdict === 'safe' || found.ruleId === TOOL_UNKNOWN;
  return (isOpen ? judgeOutward(action, words) : null) ?? found;
}

const outwardOf = (action: OutwardAction): readonly Outward[] => {
  if (action.kind === 'command') return outwardCommand(action.command);
  const outward = outwardCall(action.name, action.args);
  return outward === null ? [] : [outward];
};

function objection(outward: Outward, words: SessionWords, kind: OutwardAction['kind']): string | null {
  const { way, to, mentions } = outward;
  if (way === 'buy') return objectionToArticle(to, words);
  for (const address of to) {
    if (way === 'send' && !isAddress(address)) continue;
    const origin = originOf(address, words);
    if (origin.kind === 'person') continue;
    if (isFine(outward, address, origin, words)) continue;
    // An admin has allowed the network access of commands. For a command, only addresses from texts and refused
    // addresses are checked.
    if (kind === 'command' && origin.kind !== 'text' && origin.kind !== 'refused') continue;
    return `${DOES[way]} ${address}, ${told(origin)}`;
  }
  const isNamed = to.length > 0 && to.every((address) => originOf(address, words).kind === 'person');
  for (const address of mentions) {
    const origin = originOf(address, words);
    // A mail address may be passed on to somebody whom the person named. A link or an account could mislead the
    // receiver.
    if (isNamed && origin.kind === 'text' && /^[^/]*@[^/]*$/.test(address)) continue;
    if (origin.kind === 'text' || origin.kind === 'refused') return `it passes on ${address}, ${told(origin)}`;
  }
  return null;
}

const DOES: Readonly<Record<Exclude<Outward['way'], 'buy'>, string>> = {
  pay: 'it commits money to',
  book: 'it makes a booking with',
  send: 'it sends something to',
  engage: 'it acts in your name for',
  fetch: 'it saves a file from',
  plant: 'it writes a file that is read at a login or start:',
  enter: 'it creates an entry that you did not ask for:',
  visit: 'it may send information to',
};

/** Whether an action may go to a destination that the person did not name. */
function isFine({ way }: Outward, address: string, { kind }: AddressOrigin, words: SessionWords): boolean {
  if (kind === 'refused') return false;
  const isRead = kind === 'text';
  switch (way) {
    case 'send':
    case 'engage':
      if (!isAddress(address)) return !isRead;
      return kind === 'record' || (isRead && isOfNamedOwner(address, words));
    case 'fetch':
      return !isRead || isAkin(address, words);
    case 'enter':
      return !isRead || isAkin(address, words) || words.person.some(({ text }) => ASKS_FOR_ENTRY.test(text));
    case 'visit':
      // If a text named only the server, the model may have invented the rest of the address.
      return kind !== 'nowhere' || originOf(serverOf(address), words).kind !== 'text' || isAkin(address, words);
    case 'book':
      // A person who asks for a booking may leave the choice to a list that was read, but not to a text that urges the
      // reader to book.
      return (
        kind === 'record' && words.person.some(({ text }) => ASKS_FOR_BOOKING.test(text)) && !isUrged(address, words)
      );
    case 'buy':
    case 'pay':
    case 'plant':
      return false;
  }
}

const serverOf = (address: string): string => address.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/)[0] ?? '';
const ASKS_FOR_BOOKING = /\b(re)?book|reserv|hotel|restaurant|\btable\b|flight|\btrip\b|buch/i;
/** Words shortly before a name that ask for a purchase or a booking. */
const URGES =
  /\b(buy|order|purchase|book|reserve|reservation|booking|add|pay|get|donate|give|send|transfer)\b[^.\n]{0,80}$/i;

/** Whether free text that was read asks the reader to buy or book `what`. */
function isUrged(what: string, { read }: SessionWords): boolean {
  const wanted = what.trim().toLowerCase();
  return read.some(({ text }) => {
    const whole = text.toLowerCase();
    for (let at = whole.indexOf(wanted); at !== -1; at = whole.indexOf(wanted, at + wanted.length))
      if (URGES.test(whole.slice(Math.max(0, at - 100), at))) return true;
    return false;
  });
}

const ASKS_FOR_ENTRY = /calend|kalend|event|appointment|termin|meeting|schedule|remind|agenda|rendez/i;
/** The number of characters before and after an article's number that count as the article's record. */
const NEAR = 200;

/**
 * Returns the objection to an article that only texts from elsewhere ask for: its record shares no word with the
 * person's messages, and another text that was read mentions it.
 */
function objectionToArticle(articles: readonly string[], words: SessionWords): string | null {
  const [first] = articles;
  if (first !== undefined && !words.person.some(({ text }) => ASKS_TO_BUY.test(text)))
    return `it buys ${first}, and you did not ask to buy anything`;
  for (const article of articles) {
    const { kind } = originOf(article, words);
    if (kind === 'refused') return `it buys ${article}, which you refused`;
    if (kind === 'person' || isAkin(article, words)) continue;
    if (kind === 'text' && isUrged(article, words))
      return `it buys ${article}, which you did not ask for: a text asked for it`;
    const records = words.read.flatMap(({ text }, n) => recordsOf(article, text).map((record) => ({ record, n })));
    const named = isAddressless(article) ? [...records, { record: article, n: -1 }] : records;
    if (named.length === 0 || named.some(({ record }) => isAkin(record, words))) continue;
    const what = new Set(named.flatMap(({ record }) => contentWords(record)));
    const from = words.read.find(
      ({ text }, n) => named.every((each) => each.n !== n) && contentWords(text).some((word) => what.has(word)),
    );
    if (from !== undefined) return `it buys ${article}, which you did not ask for: ${from.from} mentioned it`;
  }
  return null;
}

const ASKS_TO_BUY =
  /\b(buy|re-?order|order|purchas|cart|basket|check ?out|shop|get|need|want|pay|book|reserv|rent|donat|subscri|spend|add|send|transfer|same|again|usual|last|track|status|return|refund|exchange|parcel|package|kauf|bestell|buch)/i;

const isAddressless = (article: string): boolean => /\p{L}{3}/u.test(article);

function recordsOf(article: string, text: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf(article); at !== -1; at = text.indexOf(article, at + article.length)) {
    const before = text.slice(Math.max(0, at - NEAR), at);
    const after = text.slice(at, at + NEAR);
    found.push(`${before.slice(before.lastIndexOf('}') + 1)}${after.split('}')[0] ?? ''}`);
  }
  return found;
}

function told({ from, kind }: AddressOrigin): string {
  if (kind === 'refused') return 'which you refused';
  return kind === 'nowhere' ? 'which you did not name' : `which you did not name: it comes from ${from}`;
}
