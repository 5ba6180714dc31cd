import type { MemoryItem } from '@aish/contracts/memory';

/** The heading of the block. */
export const BACKGROUND_HEADING = '[background] (memory loaded at startup; managed via :memory)';

type Renderable = Pick<MemoryItem, 'kind' | 'content'>;

/**
 * Formats one item as a line of the block. Its line breaks become spaces, so no item can be mistaken for another block
 * of the prompt.
 */
function backgroundLine({ kind, content }: Renderable): string {
  return `- (${kind}) ${content.replaceAll(/[\s\u0085\u2028\u2029]+/g, ' ').trim()}`;
}

/**
 * Returns the items that fit, from the first on, up to the first that does not fit. Each is included as a whole. An
 * item that is larger than the whole block is skipped.
 *
 * @param maxChars limit of the whole block, including its heading.
 */
export function chooseItems<T extends Renderable>(
  items: readonly T[],
  maxChars: number,
): { readonly chosen: readonly T[]; readonly more: boolean } {
  const room = maxChars - BACKGROUND_HEADING.length;
  const chosen: T[] = [];
  let used = 0;
  for (const item of items) {
    const size = backgroundLine(item).length + 1;
    if (size > room) continue;
    if (used + size > room) break;
    used += size;
    chosen.push(item);
  }
  return { chosen, more: chosen.length < items.length };
}

/** Returns the `[background]` block of the system prompt, or null if there are no items. */
export function renderBackground(items: readonly Renderable[]): string | null {
  return items.length === 0 ? null : [BACKGROUND_HEADING, ...items.map(backgroundLine)].join('\n');
}
