import { undoApi } from '@aish/contracts/endpoints/files';
import { changeLine } from '@aish/contracts/effect-lines';
import { actionChanges } from '@aish/client/actions.api';
import { asApiError } from '@aish/client/api.error';
import { plural } from '@aish/contracts/plural';
import { line } from '@aish/views/line';
import { snapshotPlace } from '@aish/views/preview.lines';
import { oneLine } from '@aish/views/sanitise';
import type { EffectOf, EffectTable, World } from './world.js';

/** The effects that show and undo the changes of commands. */
export const UNDO_EFFECTS: EffectTable<'previewUndo' | 'pageChanges'> = {
  previewUndo,
  pageChanges,
};

async function previewUndo(
  { client, environment, dispatch, signal }: World,
  { sessionId, nth }: EffectOf<'previewUndo'>,
): Promise<void> {
  try {
    const { items } = await client.call(undoApi.listOfSession, { params: { ref: sessionId } }, signal);
    const chosen = items[nth];
    if (chosen === undefined) {
      dispatch({ type: 'said', text: 'there is nothing to undo', style: 'dim' });
      return;
    }
    const { actionId, command } = chosen;
    const { lines, isGood } = await environment.meta.run(['undo', actionId, '--dry-run'], signal);
    const title = `restore the workspace to before ${snapshotPlace(chosen)}?`;
    dispatch({
      type: 'metaDone',
      title,
      lines: [line(oneLine(command), 'bold'), ...lines],
      isGood,
      yes: isGood ? { type: 'runMeta', title, words: ['undo', actionId, '--yes'], reload: [] } : null,
      candidates: 0,
      ...(nth + 1 < items.length && { older: { type: 'previewUndo', sessionId, nth: nth + 1 } as const }),
    });
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', error: asApiError(error) });
  }
}

async function pageChanges({ client, dispatch, signal }: World, effect: EffectOf<'pageChanges'>): Promise<void> {
  const { actionIds, nth } = effect;
  try {
    const { items, total, complete } = await actionChanges(client, actionIds[nth] ?? '', signal);
    const more = complete ? [] : [line('the list is incomplete: not all changes could be read', 'warn')];
    dispatch({
      type: 'metaDone',
      title: `its changes to ${plural(total, 'file')}`,
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
