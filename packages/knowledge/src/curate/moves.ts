/** The fate of an ID that a merge or a deletion removed. */
export interface NodeMove {
  readonly id: string;
  /** The replacement node; null if there is none. */
  readonly to: string | null;
}

const MOVED = /^Moved: ([0-9a-f-]{36}) to (nowhere|[0-9a-f-]{36})$/gm;
const POINTER = /\bkb: ([^()\n]{1,300}?) \(([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/gi;

/**
 * Returns lines for the end of a commit message, so that git records permanently, in every clone, what happened to an
 * ID.
 */
export function moveLines(moves: readonly NodeMove[]): string {
  return moves.map(({ id, to }) => `Moved: ${id} to ${to ?? 'nowhere'}\n`).join('');
}

export function movesIn(message: string): NodeMove[] {
  return [...message.matchAll(MOVED)].map(([, id = '', to = '']) => ({ id, to: to === 'nowhere' ? null : to }));
}

/** Redirects every pointer `kb: Title (UUID)` with an ID in `from` to another node. */
export function repointPointers(
  text: string,
  from: ReadonlySet<string>,
  to: { readonly id: string; readonly title: string },
): string {
  return text.replaceAll(POINTER, (whole, _title: string, id: string) =>
    from.has(id.toLowerCase()) ? `kb: ${to.title.replaceAll(/[()\n]/g, ' ').trim()} (${to.id})` : whole,
  );
}
