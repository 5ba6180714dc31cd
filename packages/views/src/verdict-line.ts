import type { Verdict } from '@aish/contracts/decisions';
import { showExact } from './sanitise.js';

/** Keys that are typed earlier than this are ignored, because nobody reads a question faster. */
export const DEAF_MS = 500;
/** A key counts only if no other key is typed for this time. */
export const QUIET_MS = 500;
/** A person who typed text within this time is still typing. */
export const TYPING_MS = 1_000;

const LETTERS: Readonly<Record<string, Verdict>> = { p: 'proceed', s: 'skip', n: 'instead', a: 'abort' };
const WORDS: Readonly<Record<string, Verdict>> = {
  proceed: 'proceed',
  skip: 'skip',
  instead: 'instead',
  abort: 'abort',
};
const UNREAD = 'there is more: press Enter to see it; p works at the end';
const SHOWN_MAX_CHARS = 40;
const BACKSPACE = new Set(['\b', '\u007f']);
/** Matches input from keys that write nothing, such as arrows. */
const NO_TEXT = new RegExp(String.raw`${'\u001b'}(?:\[[0-?]*[ -/]*[@-~]|O[A-Z])?`, 'g');

/** The result of keys or of a pause. */
export type Came =
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  /** The person wants to see more of the action. */
  | { readonly type: 'page' }
  /** A message, which says why the input was not an answer, or what to confirm. */
  | { readonly type: 'said'; readonly text: string }
  /** The key counts after a pause of `QUIET_MS` without another key. */
  | { readonly type: 'waits' };

/**
 * Handles the typed answer to a request for a verdict. Pure: keys and pauses come with their time. A letter counts
 * after a pause or with Enter, and a word counts with Enter. Text that was begun before the question could be read is
 * not an answer. All input either has an effect, or a message says that it has none. While the end of the action is not
 * on the screen, Enter shows more of it.
 */
export class VerdictLine {
  private line = '';
  private isEarly = false;
  private isBegun = false;
  private isArmed = false;
  private typedAtMs = -Infinity;

  /**
   * @param pagesLeft pages of the action that were not shown yet, because nobody may approve something that they have
   *   not seen.
   */
  constructor(
    private shownAtMs: number,
    private pagesLeft = 0,
  ) {}

  type(text: string, nowMs: number): Came {
    if (!this.isBegun) {
      this.isBegun = true;
      this.isEarly = nowMs - this.shownAtMs < DEAF_MS || nowMs - this.typedAtMs < TYPING_MS;
    }
    this.typedAtMs = nowMs;
    const [line = '', ...more] = text.split(/\r\n|[\r\n]/);
    this.add(line);
    if (more.some((each) => each !== '') || more.length > 1)
      return this.say('more than one line is not an answer', nowMs);
    return more.length === 0 ? { type: 'waits' } : this.answer(true, nowMs);
  }

  pause(nowMs: number): Came {
    return this.answer(false, nowMs);
  }

  private add(text: string): void {
    for (const character of text.replaceAll(NO_TEXT, '')) {
      this.line = BACKSPACE.has(character) ? this.line.slice(0, -1) : this.line + character;
    }
  }

  private answer(isEntered: boolean, nowMs: number): Came {
    const word = this.line.trim();
    const verdict = LETTERS[word.toLowerCase()] ?? (isEntered ? WORDS[word.toLowerCase()] : undefined);
    const name = word === '' ? (isEntered ? 'Enter alone' : 'that key') : `“${shown(word)}”`;
    if (word === '' && isEntered && this.pagesLeft > 0) {
      this.begin(nowMs);
      this.pagesLeft -= 1;
      return { type: 'page' };
    }
    if (verdict === 'proceed' && this.pagesLeft > 0) return this.say(UNREAD, nowMs);
    if (verdict === undefined)
      return this.say(`${name} is not an answer: p proceeds, s skips, n is not this way, a aborts`, nowMs);
    if (this.isEarly) return this.say(`${name} was typed too early: type it again`, nowMs);
    if (verdict !== 'abort' || this.isArmed) return { type: 'verdict', verdict };
    this.begin(nowMs);
    this.isArmed = true;
    return { type: 'said', text: 'press a again to abort, or give another answer' };
  }

  private say(text: string, nowMs: number): Came {
    this.begin(nowMs);
    this.isArmed = false;
    return { type: 'said', text };
  }

  /** Starts over after something new is shown, because it must be read before it can be answered. */
  private begin(nowMs: number): void {
    this.line = '';
    this.isBegun = false;
    this.shownAtMs = nowMs;
    this.typedAtMs = -Infinity;
  }
}

function shown(word: string): string {
  const text = showExact(word);
  return text.length <= SHOWN_MAX_CHARS ? text : `${text.slice(0, SHOWN_MAX_CHARS)}…`;
}
