/**
 * Characters that a reader does not see, or sees as an ordinary blank: controls other than line breaks and tabs, format
 * characters (zero width, direction, tags), halves of characters, blanks other than the space, variation selectors, and
 * letters and signs that are drawn as nothing. This is the one table: screens, pages, notifications and forms use it.
 */
const HIDDEN = /[^\P{C}\n\t]|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}|\u2800|\u{16FE4}|\u{1D159}/gu;
const BLANK = /^\p{Zs}$/u;

/** Cyrillic, Greek and Armenian letters that look like Latin ones. */
const LOOKALIKE = /[аеорсухіјѕԁԛԝӏһүАВЕКМНОРСТУХІЈЅԚԜҮαικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧоոսհցօ]/gu;
const ONLY_LOOKALIKES = new RegExp(`^(?:${LOOKALIKE.source})+$`, 'u');
const LATIN = /\p{Script=Latin}/u;

/**
 * A text with `mark` in place of each character that a reader would not see, or would take for another one: the letters
 * of another script inside a Latin word or path, too. Pure.
 */
export function markHidden(text: string, mark: (codePoint: number) => string): string {
  const marked = (char: string): string => mark(char.codePointAt(0) ?? 0);
  const words = text.replaceAll(/[^\s]+/gu, (word) =>
    LATIN.test(word) ? word.replaceAll(/[\p{L}\p{M}]+/gu, (run) => withoutLookalikes(run, marked)) : word,
  );
  return words.replaceAll(HIDDEN, marked);
}

function withoutLookalikes(run: string, marked: (char: string) => string): string {
  return LATIN.test(run) || ONLY_LOOKALIKES.test(run) ? run.replaceAll(LOOKALIKE, marked) : run;
}

/**
 * A text as it is, with a mark `⟨U+202E⟩` for each character that a reader would not see or take for another one.
 * For what people decide about: an approval covers what runs, so they have to see all of it.
 */
export function visibleText(text: string): string {
  return markHidden(text, (code) => `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** A text that nobody decides about, without hidden characters: blanks become spaces, the others vanish. */
export function dropHidden(text: string): string {
  return text.replaceAll(HIDDEN, (char) => (BLANK.test(char) ? ' ' : ''));
}

/** JSON, with each character that a reader would not see as its `\\u202e`: the same document, exact and visible at once. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => hidden.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
