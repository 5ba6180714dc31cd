import { TOOL_UNKNOWN, type Classification } from '@aish/contracts/safety';
import { outwardCall, type Outward } from './outward-call.js';
import { isAddress } from './receivers.js';
import { outwardCommand, sendsToUnshown } from './outward-command.js';
import { entriesOf, piecesOf } from './fields.js';
import { originOf, type AddressOrigin, type SessionWords } from './address-origin.js';
import { isIntent, objectionToIntent, type Intent } from './intents.js';
import { contentWords, isAccountOfNamed, isAkin, isLinkOfNamed, isOfNamedOwner } from './named-by-person.js';

/**
 * The rule for sending something to somebody whom the person has not named. A grant of a rule never covers its
 * findings.
 */
export const OUTWARD = 'outward.address';

/** Whether an action sends anything to somebody else. The origin of the address matters only for such actions. Pure. */
export const isOutward = (action: OutwardAction): boolean => outwardOf(action).length > 0 || isToUnshown(action);

export type OutwardAction =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** Whether it has a network, so that the servers it sends to must be in its text. */
      readonly hasNetwork?: boolean;
    }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/**
 * Returns the objection to sending, paying, publishing, sharing, inviting or posting: the person did not name the
 * destination, or refused it. Money goes only to destinations that the person named. Anything else may also go to an
 * address from a field of a record. It may never go to an address from free text, because the author of the text chose
 * that address. Null if there is no objection. Pure.
 */
export function judgeOutward(action: OutwardAction, words: SessionWords): Classification | null {
  if (isToUnshown(action)) return answerOf('it sends something to an address that the command does not show');
  for (const outward of outwardOf(action)) {
    const reason = objection(outward, words, action.kind);
    if (reason !== null) return answerOf(reason);
  }
  return null;
}

const answerOf = (reason: string): Classification => ({
  verdict: 'unknown',
  reason,
  ruleId: OUTWARD,
  span: null,
  by: 'rule',
});

const isToUnshown = (action: OutwardAction): boolean =>
  action.kind === 'command' && action.hasNetwork === true && sendsToUnshown(action.command);

/**
 * Adds the outward objection, if there is one, to the findings of the rules. It stays beside other objections, so that
 * no grant of their rule covers it. Pure.
 */
export function withOutward(found: Classification, action: OutwardAction, words: SessionWords): Classification {
  const outward = judgeOutward(action, words);
  if (outward === null) return found;
  if (found.verdict === 'safe' || found.ruleId === TOOL_UNKNOWN) return outward;
  const { reason } = outward;
  const also = { verdict: 'unknown', reason: reason ?? '', ruleId: OUTWARD, span: null } as const;
  return { ...found, others: [...(found.others ?? []), also] };
}

const outwardOf = (action: OutwardAction): readonly Outward[] => {
  if (action.kind === 'command') return outwardCommand(action.command);
  const outward = outwardCall(action.name, action.args);
  return outward === null ? [] : [outward];
};

function objection(outward: Outward, words: SessionWords, kind: OutwardAction['kind']): string | null {
  const { way, to } = outward;
  if (way === 'buy') return objectionToArticle(to, words);
  if (isIntent(way)) return objectionToIntent(way, words) ?? objection({ ...outward, way: 'send' }, words, kind);
  // If the person named who gets access, a repository may come from a text, unless the text asks to share it.
  const isForNamed = way === 'engage' && to.some(isMail) && to.filter(isMail).every((each) => isNamed(each, words));
  const receivers = isForNamed ? to.filter((each) => !isRepository(each) || isUrged(each, words, ADMITS)) : to;
  for (const address of receivers) {
    const origin = originOf(address, words);
    if (origin.kind === 'person') continue;
    if (way === 'send' && !isAddress(address) && !(origin.kind === 'text' && isUrged(address, words, SHARES))) continue;
    if (isFine(way, address, origin, words)) continue;
    // An admin has allowed the network access of commands. For a command, only addresses from texts and refused
    // addresses are checked.
    const from = kind === 'command' && origin.kind === 'nowhere' ? originOfServer(address, words) : origin;
    if (kind === 'command' && (from.kind === 'record' || from.kind === 'nowhere')) continue;
    return `${DOES[way]} ${address}, ${told(from)}`;
  }
  return objectionToMentions(outward, words);
}

/** Returns the objection to an address in the content that an action sends. */
function objectionToMentions({ to, mentions }: Outward, words: SessionWords): string | null {
  const isToNamed = to.length > 0 && to.every((address) => isNamed(address, words));
  const isToPeople = !to.some((address) => /\/|^www\./i.test(address));
  for (const address of mentions) {
    const origin = originOf(address, words);
    // A mail address may be passed on to somebody whom the person named. So may a link in content that the person wants
    // them to have, unless its text asks for that. An account could mislead the receiver.
    const isHarmless = isMail(address) || (isToPeople && !isAccount(address) && isLinkOfContent(address, words));
    if (isToNamed && origin.kind === 'text' && isHarmless) continue;
    if (origin.kind === 'text' || origin.kind === 'refused') return `it passes on ${address}, ${told(origin)}`;
  }
  return null;
}

type Directed = Exclude<Outward['way'], Intent>;

/** Whether the person named an address, or its owner. */
function isNamed(address: string, words: SessionWords): boolean {
  const { kind } = originOf(address, words);
  return kind === 'person' || (kind !== 'refused' && isMail(address) && isOfNamedOwner(address, words));
}

const isMail = (address: string): boolean => /^[^/\s]*@[^/\s]*$/.test(address);
const isRepository = (text: string): boolean => /^[\w.-]+\/[\w.-]+$/.test(text);
const isAccount = (address: string): boolean => /^[A-Z]{2}\d{2}[A-Z0-9]+$/i.test(address);

const DOES: Readonly<Record<Exclude<Directed, 'buy'>, string>> = {
  pay: 'it commits money to',
  book: 'it makes a booking with',
  send: 'it sends something to',
  engage: 'it acts in your name for',
  fetch: 'it saves a file from',
  import: 'it brings in content from',
  plant: 'it writes a file that is read at a login or start:',
  enter: 'it creates an entry that you did not ask for:',
  visit: 'it may send information to',
};

/** Whether an action may go to a destination that the person did not name. */
function isFine(way: Directed, address: string, { kind }: AddressOrigin, words: SessionWords): boolean {
  if (kind === 'refused') return false;
  const isRead = kind === 'text' || kind === 'message';
  switch (way) {
    case 'send':
    case 'engage':
      if (!isAddress(address)) return !isRead;
      if (kind === 'record' || (isRead && isOfNamedOwner(address, words))) return true;
      // A form on a page that the person spoke of may be filled in, but not if a text asks to send something there.
      return way === 'send' && isRead && isSpokenOf(address, words) && !isUrged(address, words, SHARES);
    case 'fetch':
      return (!isRead || isAkin(address, words)) && isFine('visit', address, { kind, from: null }, words);
    case 'import':
      if (!isRead) return kind === 'record' || !isAddress(address);
      // What comes in may contain code, so a name in the rest of a web address is not enough.
      return isAddress(address) ? isSpokenOf(address, words) : isAkin(address, words);
    case 'enter':
      return !isRead || (isAkin(address, words) && words.person.some(({ text }) => ASKS_FOR_ENTRY.test(text)));
    case 'visit':
      // If a text named only the server, or its domain, the model may have made the rest of the address.
      return kind !== 'nowhere' || isAkin(address, words) || !domainsOf(address).some((each) => isInText(each, words));
    case 'book':
      // A person who asks for a booking may leave the choice to a list that was read, but not to a text that urges the
      // reader to book.
      return (
        kind === 'record' && words.person.some(({ text }) => ASKS_FOR_BOOKING.test(text)) && !isUrged(address, words)
      );
    case 'pay':
      return kind === 'record' && isAccountOfNamed(address, words);
    case 'buy':
    case 'plant':
      return false;
  }
}

/** Whether the person named the owner of a web address, or said a word of its server: "register for the congress". */
const isSpokenOf = (address: string, words: SessionWords): boolean =>
  !address.includes('@') && (isLinkOfNamed(address, words) || isAkin(serverOf(address), words));

const serverOf = (address: string): string => address.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/)[0] ?? '';
/** Returns the server of a web address, and the domains that it is part of. */
function domainsOf(address: string): readonly string[] {
  const names = serverOf(address).split('.');
  return names.slice(0, -1).map((_, at) => names.slice(at).join('.'));
}

const NOWHERE: AddressOrigin = { kind: 'nowhere', from: null };
/** A server of the house, or one that the text does not name in full. */
const AT_HOME =
  /^[^.]*$|^(10|127|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\.|\.(lan|local|home|internal|localdomain|home\.arpa)$/i;

/** Returns the text that a public server comes from, if the person said nothing of the address. */
function originOfServer(address: string, words: SessionWords): AddressOrigin {
  const server = serverOf(address).replace(/^.*@/, '').replace(/:.*$/, '');
  if (!/^[\w.-]+$/.test(server) || AT_HOME.test(server) || isAkin(address, words)) return NOWHERE;
  const origin = originOf(server, words);
  return origin.kind === 'text' ? origin : NOWHERE;
}

const isInText = (what: string, words: SessionWords): boolean => originOf(what, words).kind === 'text';
const ASKS_FOR_BOOKING = /\b(re)?book|reserv|hotel|restaurant|\btable\b|flight|\btrip\b|buch/i;
/** Words shortly before a name that ask for a purchase or a booking. */
const URGES =
  /\b(buy|order|purchase|book|reserve|reservation|booking|add|pay|get|donate|give|send|transfer):?\s[^.\n{}]{0,80}$/i;
/** Words shortly before a name that ask to pass it on, or to send something there. */
const SHARES =
  /\b(send|share|post|forward|tell|message|notify|dm|write|mail|email|publish|push|upload|include|recommend|pass|announce)\b[^.\n{}]{0,60}$/i;

/** Words shortly before a repository that ask to give somebody access to it. */
const ADMITS = /\b(invite|add|give|grant|share|transfer|access|open)\b[^\n{}]{0,80}$/i;

/** The words of a person who wants others to have content that was read. */
const ASKS_FOR_CONTENT =
  /summar|zusammenf|forward|weiterleit|cop(y|ies)|content|links?\b|url|website|webpage|\bpages?\b|article|document|report|newsletter/i;
/** Words of a text that may ask the reader to pass something on. They may be far from the link. */
const MAY_ASK =
  /\b(send|share|post|forward|tell|message|notify|dm|write|mail|e-?mail|reply|publish|push|upload|include|add|insert|mention|append|recommend|pass|announce|recipients?|instructions?)\b/i;

/** Whether the person wants others to have content, and no text with this link in it asks for anything like that. */
function isLinkOfContent(link: string, { person, read }: SessionWords): boolean {
  const wanted = link.toLowerCase();
  return (
    person.some(({ text, isRefusal }) => !isRefusal && ASKS_FOR_CONTENT.test(text)) &&
    !read.some(({ text }) => text.toLowerCase().includes(wanted) && MAY_ASK.test(text))
  );
}

/** Whether free text that was read asks the reader, with such words, for `what`. */
function isUrged(what: string, { read }: SessionWords, words = URGES): boolean {
  const wanted = what.trim().toLowerCase();
  return read
    .filter(({ text }) => text.toLowerCase().includes(wanted.split(/\s/)[0] ?? ''))
    .flatMap(({ text }) => piecesOf(text).pieces)
    .some((piece) => {
      const text = piece.text.toLowerCase().replaceAll(/ +/g, ' ');
      for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
        if (words.test(text.slice(Math.max(0, at - 100), at))) return true;
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

/** Returns what the records of an article say about it, without lists, because others write its reviews. */
function recordsOf(article: string, text: string): readonly string[] {
  const entries = entriesOf(text).filter(({ fields }) => [...fields.values()].includes(article));
  if (entries.length > 0) return entries.map(({ name, fields }) => [name ?? '', ...fields.values()].join(' '));
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
