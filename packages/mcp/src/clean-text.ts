// What a terminal or a reader would not show, or would show in another order than it stands: control characters but
// line breaks and tabs, all of Unicode's format characters (zero width, direction, the invisible tag characters), and
// halves of characters.
const HIDDEN = /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}/gu;

/** A text that a server wrote, without characters that hide what it says, cut to `maxChars` UTF-16 units. */
export function cleanText(text: string, maxChars: number): string {
  // Cut first: the rest need not be looked at.
  const cleaned = text.slice(0, maxChars + 1).replaceAll(HIDDEN, '');
  return cleaned.length <= maxChars ? cleaned : `${cleaned.slice(0, maxChars - 1).replaceAll(HIDDEN, '')}…`;
}
