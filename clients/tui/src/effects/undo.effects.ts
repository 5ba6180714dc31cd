import { undoApi } from '@aish/contracts/endpoints/files';
import { changeLine } from '@aish/contracts/effect-lines';
import { actionChanges } from '@aish/client/actions.api';
import { asApiError } from '@aish/client/api.error';
import { plural } from '@aish/views/plural';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { EffectOf, EffectTable, World } from './world.js';

/** What commands did, and taking it back. */
export const UNDO_EFFECTS: EffectTable<'foretellUndo' | 'pageChanges'> = {
  foretellUndo,
  pageChanges,
};

async function foretellUndo(
  { client, surroundings, dispatch, signal }: World,
  { sessionId, nth }: EffectOf<'foretellUndo'>,
): Promise<void> {
  try {
    const { items } = await client.call(undoApi.listOfSession, { params: { ref: sessionId } }, signal);
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

async function pageChanges({ client, dispatch, signal }: World, effect: EffectOf<'pageChanges'>): Promise<void> {
  const { actionIds, nth } = effect;
  try {
    const { items, total, complete } = await actionChanges(client, actionIds[nth] ?? '', signal);
    const more = complete ? [] : [line('there is more: it could not all be looked at', 'warn')];
    dispatch({
      type: 'metaDone',
      title: `what it did to ${plural(total, 'file')}`,
      lines: [...items.map((each) => line(oneLine(changeLine(each)), LOOKS[each.kind])), ...more],
      isGood: true,
      yes: null,
      candidates: 0,
      isPage: true,
      ...(nth + 1 < actionIds.length && { older: { ...effect, nth: nth + 1 } }),
    });
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', error: asApiError(error) });
  }
}

const LOOKS = { deleted: 'bad', changed: 'warn', created: 'good' } as const;
