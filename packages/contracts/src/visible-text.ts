// Control characters but line breaks and tabs, all format characters (zero width, direction, the invisible tag
// characters), halves of characters, other line breaks, and letters that are blank.
const HIDDEN =
  /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}|[\u2028\u2029\u115F\u2800\u3164\uFFA0]|\u1160|[\u17B4\u17B5]|[\u180B-\u180F]|[\uFE00-\uFE0E]/gu;

/**
 * A text as it is, with a mark `⟨U+202E⟩` for each character that a reader would not see or that puts others elsewhere.
 * For what people decide about: an approval covers what runs, so they have to see all of it.
 */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** JSON, with each character that a reader would not see as its `\\u202e`: the same document, exact and visible at once. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => hidden.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
