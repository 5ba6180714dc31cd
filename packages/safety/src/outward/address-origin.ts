import { unescapeText } from './literals.js';
import { isSender, piecesOf, type Piece } from './fields.js';
import { isAddress, isReceiver } from './receivers.js';
import { toolWords } from '../tool-names.js';

/**
 * The texts of a session: the person's messages and refusals (oldest first), and all texts that came from elsewhere.
 */
export interface SessionWords {
  readonly person: readonly { readonly text: string; readonly isRefusal: boolean }[];
  readonly read: readonly Read[];
}

interface Read {
  /** The source as a person sees it: the label of a tool, or a command. */
  readonly from: string;
  readonly text: string;
  /** Whether the fields of this source count as fields of a record. */
  readonly hasRecords: boolean;
}

type Mention = 'record' | 'message' | 'text';

/**
 * The origin of an address:
 * - `refused`: the person's latest mention of the address, or of its server, is a refusal.
 * - `record`: it is only a field of records that were read. The author of a message or page cannot choose such a field.
 * - `message`: it is only a field of messages, such as a sender. Their senders chose it.
 * - `text`: it is in free text.
 * - `nowhere`: neither the person nor any text that was read mentions it.
 */
export interface AddressOrigin {
  readonly kind: 'person' | 'refused' | Mention | 'nowhere';
  readonly from: string | null;
}

/** Tools that return what somebody wrote, such as a page or a file. It may look like a record. */
const RETURNS_CONTENT =
  /(^|_)(web|webpages?|websites?|pages?|urls?|html|browser?|http|articles?|feeds?|rss|gists?|pastes?|attachments?)(_|$)|^(read|open|cat|view)_.*(file|doc)|(file|document)_contents?$|^(fetch|crawl|scrape)$/;
/** Servers that return the content of any address. */
const SERVES_CONTENT = /^(https?|fetch|browser|rss|feeds?|web_?search|crawler)(__|[./:])/i;
/** Tools that return what strangers filled in. A mail address in it is that of a sender. */
const FILLED_IN =
  /(^|_)(forms?|submissions?|responses?|reviews?|tickets?|comments?|feedback|inquir(y|ies)|enquir(y|ies))(_|$)/;
const NOWHERE: AddressOrigin = { kind: 'nowhere', from: null };

/**
 * Returns the origin of `address`. The person's latest mention counts most, then a field of a record, then any text.
 * Pure.
 */
export function originOf(address: string, { person, read }: SessionWords): AddressOrigin {
  const wanted = normal(address);
  if (wanted === '') return NOWHERE;
  const server = serverOf(address);
  const said = person.findLast(({ text, isRefusal }) =>
    (isRefusal ? [wanted, ...server] : [wanted]).some((name) => occurrences(normal(text), name).length > 0),
  );
  if (said !== undefined) return { kind: said.isRefusal ? 'refused' : 'person', from: null };
  const found = new Map<Mention, AddressOrigin>();
  for (const { from, text, hasRecords } of read) {
    const tool = toolWords(from).join('_');
    const isContent = RETURNS_CONTENT.test(tool) || SERVES_CONTENT.test(from);
    const mentioned = mentionIn(text, wanted, hasRecords && !isContent);
    const mention = mentioned === 'record' && wanted.includes('@') && FILLED_IN.test(tool) ? 'message' : mentioned;
    if (mention !== null && !found.has(mention)) found.set(mention, { kind: mention, from });
  }
  return found.get('text') ?? found.get('record') ?? found.get('message') ?? NOWHERE;
}

/** Returns a web address without its scheme and its last slash, because they make no difference. */
function normal(text: string): string {
  return text
    .replace(/([a-z0-9])\.(?=[A-Z][a-z]+ )/g, '$1. ') // A sentence may end without a space.
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/\/+$/, '')
    .trim();
}

/** Returns the server of a web address, because another path on it is the same destination. A mail address has none. */
function serverOf(address: string): readonly string[] {
  const { host } =
    /^(?:[a-z]+:\/\/(?:[^/@]*@)?)?(?<host>[\w.-]+|\[[\da-f:]+\])(?:[:/?#]|$)/i.exec(address.trim())?.groups ?? {};
  return host === undefined ? [] : [host.toLowerCase()];
}

/** Returns the positions of whole occurrences: `a@b.ch` does not occur in `aa@b.ch` or in `a@b.church`. */
function occurrences(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text.slice(at + wanted.length, at + wanted.length + 2)];
    // `@mallory` names mallory, but `x@mallory` names somebody else.
    const isInside = before === '@' ? /[\w.-]/.test(text[at - 2] ?? ' ') : /[\w-]/.test(before);
    if (!isInside && !/^(?:[\w@-]|\.\w)/.test(after)) found.push(at);
  }
  return found;
}

/** How a text mentions `wanted`. Null if it does not. */
function mentionIn(text: string, wanted: string, hasRecords: boolean): Mention | null {
  const plain = unescapeText(text);
  if (!plain.toLowerCase().includes(wanted)) return null;
  const { isRecord, pieces } = piecesOf(text);
  const holding = pieces.filter((piece) => isIn(piece.text, wanted));
  if (holding.length === 0) return isIn(plain, wanted) ? 'text' : null;
  if (!hasRecords || !isRecord || !holding.every((piece) => isField(piece, wanted))) return 'text';
  // The author of an issue or a comment chose the mail addresses in it, too.
  const isMail = wanted.includes('@');
  return holding.some(({ isOfMessage, isBesideProse }) => !isOfMessage && !(isMail && isBesideProse))
    ? 'record'
    : 'message';
}

/** Whether a text contains `wanted`. The text may be escaped once more. */
function isIn(text: string, wanted: string): boolean {
  return occurrences(unescapeText(text).toLowerCase(), wanted).length > 0;
}

/**
 * Whether a field contains nothing but `wanted`, or a list of such entries. Others may choose a title or a description,
 * so an address must be in a field for addresses.
 */
function isField({ text, key }: Piece, wanted: string): boolean {
  if (key !== null && isAddress(wanted) && !isReceiver(key) && !isSender(key)) return false;
  const [whole = '', ...others] = normal(text)
    .split(/[,;]\s*/)
    .map(normal);
  return [whole, ...others].includes(wanted) && others.every((each) => !/\s/.test(each));
}
