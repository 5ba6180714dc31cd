/** What became of an id that a merge or a deletion took away. */
export interface NodeMove {
  readonly id: string;
  /** The node that stands for it now; null: none does. */
  readonly to: string | null;
}

const MOVED = /^Moved: ([0-9a-f-]{36}) to (nowhere|[0-9a-f-]{36})$/gm;
const POINTER = /\bkb: ([^()\n]{1,300}?) \(([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/gi;

/** Lines at the end of a commit's message: git remembers for good what became of an id, in every clone. */
export function moveLines(moves: readonly NodeMove[]): string {
  return moves.map(({ id, to }) => `Moved: ${id} to ${to ?? 'nowhere'}\n`).join('');
}

export function movesIn(message: string): NodeMove[] {
  return [...message.matchAll(MOVED)].map(([, id = '', to = '']) => ({ id, to: to === 'nowhere' ? null : to }));
}

/** Leads every pointer `kb: Title (UUID)` to one of `from` to another node. */
export function repointPointers(
  text: string,
  from: ReadonlySet<string>,
  to: { readonly id: string; readonly title: string },
): string {
  return text.replaceAll(POINTER, (whole, _title: string, id: string) =>
    from.has(id.toLowerCase()) ? `kb: ${to.title.replaceAll(/[()\n]/g, ' ').trim()} (${to.id})` : whole,
  );
}
