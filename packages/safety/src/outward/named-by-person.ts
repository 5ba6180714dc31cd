import { toolWords } from '../tool-names.js';
import type { SessionWords } from './address-origin.js';
import { entriesOf, piecesOf, type Entry } from './fields.js';

/** Words that identify nobody: parts of addresses, names of fields, and words that begin a sentence. */
const COMMON = new Set(
  (
    'com org net edu gov dev pdf txt doc docx csv zip png jpg example important ' +
    'about account accounts address after again also and archive back been before below body bring brand buy can category check ' +
    'click code company content copy could create date delivery description dear details document documents does download ' +
    'downloads email emails event file files find first follow following for forward free from get give group has have hello her ' +
    'here him his home html http https index info information inbox into item items its just last latest let like link list look ' +
    'mail make many may message money month more must name need new next not note now official one open order orders our out ' +
    'page password pay payment phone please post price product products public purchase quantity rating read regarding report ' +
    'reply request review reviews see send sent service set shared should show site some spend start status support team tell test ' +
    'text than thank thanks that the their them then there they this through time title today tomorrow total transfer two url ' +
    'use user username users using visit want was web website websites week what when where which who will with work would write www you your'
  ).split(' '),
);

/** Returns the words of a text that carry a meaning. */
export const contentWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter((word) => !COMMON.has(word));

/** Whether a text shares a word with the person's messages, without their refusals. Pure. */
export function isAkin(text: string, { person }: SessionWords): boolean {
  const said = new Set(person.filter(({ isRefusal }) => !isRefusal).flatMap((each) => contentWords(each.text)));
  return contentWords(text).some((word) => said.has(word));
}

const MAIL = /[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+/gi;

/**
 * Tools that read the owner's address book. Their results are trusted, because adding an entry is itself an outward
 * action.
 */
const ADDRESS_BOOK =
  /contact|address_?book|phone_?book|people|carddav|ldap|vcard|(staff|user|employee|company)_?directory/i;
/** Words shortly before an address that ask the reader to use it. */
const WANTS_IT =
  /\b(send|(?<!\b(my|our|his|her|their|your|the) (e-)?)(mail|e-?mail)|write|forward|reply|new address|changed|moved|instead|now at)\b(?:[^.\n]|\.(?=\S)){0,80}$/i;

/**
 * Whether the person named the owner of a mail address: "write to Lily" means `lily.white@home.example`. If an address
 * book that was read contains the name, only its addresses count. Otherwise all addresses that were read count, except
 * one that a text asks the reader to use. False if the name has two addresses, or if somebody pretends to have it.
 * Pure.
 */
export function isOfNamedOwner(address: string, { person, read }: SessionWords): boolean {
  const books = read.filter(isBook);
  return namesOf(person).some(
    (name) => isOnly(address, name, books) ?? (isOnly(address, name, read) === true && !isWanted(address, read)),
  );
}

/** Whether a web address contains a name that the person said: "the page that Lily shared". Pure. */
export function isLinkOfNamed(address: string, { person }: SessionWords): boolean {
  const words = contentWords(address);
  return namesOf(person).some((name) => name.every((word) => words.includes(word)));
}

const ACCOUNT = /^[A-Z]{2}\d{2}[A-Z\d]{6,30}$/;

/** The words of a person who asks for a payment. */
const ASKS_TO_PAY =
  /\b(pay|repay|payments?|transfer|money|wire|refund|reimburse|owe|donate|euros?|dollars?|pounds?|francs?|eur|usd|gbp|chf)\b|[€$£]|zahl|überweis/i;
/** Sources that are not an address book, because strangers write what a contact form collects. */
const NOT_A_BOOK = /form|message|submission|request|ticket|comment|feedback|inquir|enquir/i;

/**
 * Whether an address book has exactly one account for somebody whom the person named in a message about a payment. Only
 * the name of an entry counts, because anybody may write `friend of Bob` into a note. Pure.
 */
export function isAccountOfNamed(account: string, { person, read }: SessionWords): boolean {
  const entries = read.filter(isBook).flatMap(({ text }) => entriesOf(text));
  return namesOf(person.filter(({ text }) => ASKS_TO_PAY.test(text))).some((name) => {
    const own = entries.filter((entry) => name.every((word) => wordsOf(nameOf(entry)).includes(word)));
    const accounts = new Set(own.flatMap(({ fields }) => [...fields.values()].filter((each) => ACCOUNT.test(each))));
    return accounts.size === 1 && accounts.has(account.trim());
  });
}

const nameOf = ({ name, fields }: Entry): string =>
  [name ?? '', ...[...fields].filter(([key]) => toolWords(key).includes('name')).map(([, each]) => each)].join(' ');
const isBook = ({ from, hasRecords }: SessionWords['read'][number]): boolean =>
  hasRecords && ADDRESS_BOOK.test(from) && !NOT_A_BOOK.test(from);
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Returns the names in the person's messages, each as its words. */
function namesOf(person: SessionWords['person']): readonly (readonly string[])[] {
  return person
    .filter(({ isRefusal }) => !isRefusal)
    .flatMap(({ text }) => namesIn(text))
    .map((name) =>
      name
        .toLowerCase()
        .split(' ')
        .filter((word) => !COMMON.has(word)),
    )
    .filter(({ length }) => length > 0);
}

/** Returns the names in a text. The first word of a sentence may be a verb before a name: "Invite Bob". */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/\p{Lu}\p{Ll}{2,}(?: \p{Lu}\p{Ll}+)*/gu)].flatMap(({ 0: name, index }) => {
    const begins = /(?:^|[.!?:\n])\s*$/.test(text.slice(Math.max(0, index - 10), index));
    return begins && name.includes(' ') ? [name, name.slice(name.indexOf(' ') + 1)] : [name];
  });
}

/** Whether `address` is the only address of a name in these texts. Null if the name has none. */
function isOnly(address: string, name: readonly string[], read: SessionWords['read']): boolean | null {
  const known = new Set(read.flatMap(({ text }) => text.toLowerCase().match(MAIL) ?? []));
  const owned = [...known].filter((each) => fits(each, name));
  return owned.length === 0 ? null : owned.length === 1 && owned[0] === address.trim().toLowerCase();
}

function isWanted(address: string, read: SessionWords['read']): boolean {
  const wanted = address.trim().toLowerCase();
  return read
    .filter(({ text }) => text.toLowerCase().includes(wanted))
    .flatMap(({ text }) => piecesOf(text).pieces)
    .some(({ text }) =>
      [...text.toLowerCase().matchAll(MAIL)].some(
        ({ 0: each, index }) => each === wanted && WANTS_IT.test(text.slice(Math.max(0, index - 100), index)),
      ),
    );
}

/** Whether the part before the @ is made from a name: `lily`, `lily.white`, `l.white` and `lwhite` match Lily White. */
function fits(address: string, name: readonly string[]): boolean {
  const parts = (address.split('@')[0] ?? '').split(/[^\p{L}]+/u).filter((part) => part !== '');
  const [first = '', ...rest] = name;
  const joined = [first, first.charAt(0)].map((begin) => `${begin}${rest.join('')}`);
  if (rest.length > 0 && parts.length === 1 && joined.includes(parts[0] ?? '')) return true;
  if (!parts.some((part) => name.includes(part))) return false;
  return (
    rest.length === 0 || parts.every((part) => name.includes(part) || name.some((word) => word.charAt(0) === part))
  );
}
