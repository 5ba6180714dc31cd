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

/**
 * The origin of an address:
 * - `refused`: the person's latest mention of the address, or of its server, is a refusal.
 * - `record`: it is a separate field in data that was read. The author of a message or page cannot choose such a field.
 * - `text`: it is in free text, or it is a sender.
 * - `nowhere`: neither the person nor any text that was read mentions it.
 */
export interface AddressOrigin {
  readonly kind: 'person' | 'refused' | 'record' | 'text' | 'nowhere';
  readonly from: string | null;
}

const NOWHERE: AddressOrigin = { kind: 'nowhere', from: null };
/** Fields whose content the writer to the person chooses. */
const SENT = /^["']?(from|sender|reply[-_ ]?to|author|by|signed)["']?\s*[:=]/i;
/** Matches a line that contains only a key, an entry of a list, or the values of a field. A sentence is not a key. */
const KEY = [/^[-\s]*["']?$/, /^["']?\s*[:=]/] as const;
const VALUE = [
  /^[-\s]*(?:["']?(?!(?:please|send|write|mail|forward|pay|post|transfer) )[\w.-]{1,30}(?: [\w.-]{1,20})?["']?\s*[:=]\s*)?\[?(?:["']?[^\s,"']+["']?,\s*)*["'<]?$/,
  /^["'>]?(?:,\s*["']?[^\s,"']+["']?)*\s*\]?,?\s*$/,
] as const;
/** The number of characters that are checked before and after an occurrence. */
const AROUND = 200;
/**
 * Matches the characters around a whole JSON string. A string inside another string has escaped quotes, so it does not
 * match.
 */
const STRING = [/[[:,{]\s*"$/, /^"\s*[,\]}:]/] as const;
const SENT_STRING = /"(from|sender|reply[-_ ]?to|author|by|signed)"\s*:\s*\[?\s*"$/i;

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
  let inText: AddressOrigin | null = null;
  for (const { from, text, hasRecords } of read) {
    const whole = text.toLowerCase();
    for (const at of occurrences(whole, wanted)) {
      if (hasRecords && isField(whole, at, wanted.length)) return { kind: 'record', from };
      inText ??= { kind: 'text', from };
    }
  }
  return inText ?? NOWHERE;
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

function isField(text: string, at: number, length: number): boolean {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  const to = text.indexOf('\n', at);
  const before = text.slice(Math.max(from, at - AROUND), at);
  const after = text.slice(at + length, to === -1 ? at + length + AROUND : Math.min(to, at + length + AROUND));
  if (before.length === AROUND && !STRING[0].test(before)) return false;
  const is = ([left, right]: readonly [RegExp, RegExp]) => left.test(before) && right.test(after);
  if (is(STRING)) return !SENT_STRING.test(before);
  return (is(KEY) || is(VALUE)) && !SENT.test(before.trim().replace(/^-\s*/, ''));
}
