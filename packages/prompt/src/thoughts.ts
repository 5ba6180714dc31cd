import type { ShownTurn } from '@aish/contracts/sessions';

/** The thoughts that a model sees again: none, those of its newest answer, or all. */
type ShownThoughts = 'none' | 'last' | 'all';

/** Returns the turns with the thoughts that the model sees again. Pure. */
export function withThoughts(turns: readonly ShownTurn[], which: ShownThoughts): readonly ShownTurn[] {
  if (which === 'all') return turns;
  const newest = which === 'last' ? turns.findLastIndex(({ role }) => role === 'assistant') : -1;
  return turns.map((turn, at) => {
    if (turn.meta?.reasoning === undefined || at === newest) return turn;
    const { reasoning: _reasoning, ...meta } = turn.meta;
    return { ...turn, meta };
  });
}
