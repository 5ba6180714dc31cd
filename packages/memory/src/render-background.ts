import type { MemoryItem } from '@aish/contracts/memory';

/** Source: Phase 4 manifest, section 5. */
export const BACKGROUND_HEADING = '[background] (memory loaded at startup; managed via :memory)';

type Renderable = Pick<MemoryItem, 'kind' | 'content'>;

/** One item as a line of the block. Its line breaks become spaces: no item can pass for another block of the prompt. */
function backgroundLine({ kind, content }: Renderable): string {
  return `- (${kind}) ${content.replaceAll(/[\s\u0085\u2028\u2029]+/g, ' ').trim()}`;
}

/**
 * The items that fit, from the first on: whole ones only, until one does not fit. One that could never fit, being larger
 * than the whole block, is passed over.
 * @param maxChars of the whole block, its heading included.
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

/** The `[background]` block of the system prompt, or null if there are no items. */
export function renderBackground(items: readonly Renderable[]): string | null {
  return items.length === 0 ? null : [BACKGROUND_HEADING, ...items.map(backgroundLine)].join('\n');
}
