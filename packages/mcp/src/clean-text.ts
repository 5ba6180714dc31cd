import { dropHidden } from '@aish/contracts/visible-text';

/** Returns a text from a server without characters that hide its content, cut to `maxChars` UTF-16 units. */
export function cleanText(text: string, maxChars: number): string {
  // The text is cut first, because the rest need not be checked.
  const cleaned = dropHidden(text.slice(0, maxChars + 1));
  return cleaned.length <= maxChars ? cleaned : `${dropHidden(cleaned.slice(0, maxChars - 1))}…`;
}
