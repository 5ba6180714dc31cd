import type { ShownTurn } from '@aish/contracts/sessions';

/** Which thoughts a model is shown again: none, those of its newest answer, or all. */
type ShownThoughts = 'none' | 'last' | 'all';

/** The turns with the thoughts that the model is to be shown again. Pure. */
export function withThoughts(turns: readonly ShownTurn[], which: ShownThoughts): readonly ShownTurn[] {
  if (which === 'all') return turns;
  const newest = which === 'last' ? turns.findLastIndex(({ role }) => role === 'assistant') : -1;
  return turns.map((turn, at) => {
    if (turn.meta?.reasoning === undefined || at === newest) return turn;
    const { reasoning: _reasoning, ...meta } = turn.meta;
    return { ...turn, meta };
  });
}
