import { asApiError } from '@aish/client/api.error';
import { AREAS } from './pane-loader.js';
import { asking, type EffectOf, type EffectTable, type World } from './world.js';

/** Lists, their rows, and the commands of `aish` that are run inside. */
export const AREA_EFFECTS: EffectTable<
  'listGoals' | 'listDecisions' | 'listModels' | 'loadPane' | 'loadDetail' | 'actOnRow' | 'runMeta'
> = {
  listGoals: ({ lists }) => lists.goals.ask(),
  listDecisions: ({ lists }) => lists.decisions.ask(),
  listModels: ({ lists }) => lists.models.ask(),
  loadPane: ({ panes }, { pane, filter }) => panes.load(pane, filter),
  loadDetail: asking(
    (client, { pane, key }: EffectOf<'loadDetail'>, signal) => AREAS[pane].detail(client, key, signal),
    (detail, { pane }) => ({ type: 'detailLoaded', pane, detail }),
    ({ message }, { pane, key }) => ({
      type: 'detailLoaded',
      pane,
      detail: { key, title: '', kind: 'text', text: message },
    }),
  ),
  actOnRow,
  runMeta,
};

async function actOnRow(
  { client, panes, dispatch, signal }: World,
  { pane, key, action }: EffectOf<'actOnRow'>,
): Promise<void> {
  try {
    const said = await AREAS[pane].actions?.[action].run(client, key, signal);
    if (said !== undefined) dispatch({ type: 'said', text: said, style: 'good' });
    await panes.load(pane, '');
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', error: asApiError(error) });
  }
}

async function runMeta(
  { surroundings, lists, panes, dispatch, signal }: World,
  effect: EffectOf<'runMeta'>,
): Promise<void> {
  const { title, words, reload } = effect;
  const { lines, isGood, planId, candidates } = await surroundings.meta.run(words, signal);
  const yes = planId === null ? null : { ...effect, words: [...words, '--confirm', planId] };
  dispatch({ type: 'metaDone', title, lines, isGood, yes, candidates });
  await Promise.all([
    ...reload.map((list) => (list === 'goals' ? lists.goals.ask() : panes.load(list, ''))),
    // A command may have mended it, or brought it about.
    ...(words[0] === 'kb' ? [lists.attention()] : []),
  ]);
}
