import { dropHidden } from '@aish/contracts/visible-text';

/** A text that a server wrote, without characters that hide what it says, cut to `maxChars` UTF-16 units. */
export function cleanText(text: string, maxChars: number): string {
  // Cut first: the rest need not be looked at.
  const cleaned = dropHidden(text.slice(0, maxChars + 1));
  return cleaned.length <= maxChars ? cleaned : `${dropHidden(cleaned.slice(0, maxChars - 1))}…`;
}
