/**
 * Characters that a reader does not see or sees as an ordinary space: controls other than line breaks and tabs, format
 * characters (zero width, direction, tags), lone surrogates, spaces other than U+0020, variation selectors, and letters
 * and signs that are drawn as nothing. Screens, pages, notifications and forms all use this one table.
 */
const HIDDEN = /[^\P{C}\n\t]|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}|\u2800|\u{16FE4}|\u{1D159}/gu;
const BLANK = /^\p{Zs}$/u;

/** Cyrillic, Greek and Armenian letters that look like Latin ones. */
const LOOKALIKE = /[аеорсухіјѕԁԛԝӏһүАВЕКМНОРСТУХІЈЅԚԜҮαικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧоոսհցօ]/gu;
const ONLY_LOOKALIKES = new RegExp(`^(?:${LOOKALIKE.source})+$`, 'u');
const LATIN = /\p{Script=Latin}/u;

/**
 * Replaces each character that a reader would not see or would mistake for another one with `mark`. This includes
 * letters of another script inside a Latin word or path.
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
 * Returns the text with a mark such as `⟨U+202E⟩` for each character that a reader would not see or would mistake for
 * another one. It is meant for texts that people approve: an approval covers what runs, so they have to see all of it.
 */
export function visibleText(text: string): string {
  return markHidden(text, (code) => `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Removes hidden characters from a text that nobody decides about. Spaces are normalized, the others are dropped. */
export function dropHidden(text: string): string {
  return text.replaceAll(HIDDEN, (char) => (BLANK.test(char) ? ' ' : ''));
}

/**
 * Returns the JSON with every invisible character as an escape such as `\\u202e`. The document stays the same, and
 * everything is visible.
 */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => hidden.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
