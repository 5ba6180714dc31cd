import { asApiError } from '../api/api.error.js';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { EffectOf, EffectTable, World } from './world.js';

/** What commands did, taken back. */
export const UNDO_EFFECTS: EffectTable<'foretellUndo'> = { foretellUndo };

async function foretellUndo(
  { client, surroundings, dispatch, signal }: World,
  { sessionId, nth }: EffectOf<'foretellUndo'>,
): Promise<void> {
  try {
    const { items } = await client.listSnapshots(sessionId, signal);
    const chosen = items[nth];
    if (chosen === undefined) {
      dispatch({ type: 'said', text: 'there is nothing to take back', style: 'dim' });
      return;
    }
    const { actionId, stepNumber, command } = chosen;
    const { lines, isGood } = await surroundings.meta.run(['undo', actionId, '--dry-run'], signal);
    const title = `put back to before step ${stepNumber}?`;
    dispatch({
      type: 'metaDone',
      title,
      lines: [line(oneLine(command), 'bold'), ...lines],
      isGood,
      yes: isGood ? { type: 'runMeta', title, words: ['undo', actionId, '--yes'], reload: [] } : null,
      candidates: 0,
      ...(nth + 1 < items.length && { older: { type: 'foretellUndo', sessionId, nth: nth + 1 } as const }),
    });
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', error: asApiError(error) });
  }
}
