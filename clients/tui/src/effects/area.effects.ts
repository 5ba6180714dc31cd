import { asApiError } from '@aish/client/api.error';
import { AREAS } from './pane-loader.js';
import { asking, type EffectOf, type EffectTable, type World } from './world.js';

/** The effects of lists and their rows, and of `aish` commands that run inside the terminal UI. */
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
  { environment, lists, panes, dispatch, signal }: World,
  effect: EffectOf<'runMeta'>,
): Promise<void> {
  const { title, words, reload } = effect;
  const { lines, isGood, planId, candidates } = await environment.meta.run(words, signal);
  const yes = planId === null ? null : { ...effect, words: [...words, '--confirm', planId] };
  dispatch({ type: 'metaDone', title, lines, isGood, yes, candidates });
  await Promise.all([
    ...reload.map((list) => (list === 'goals' ? lists.goals.ask() : panes.load(list, ''))),
    // A command may have fixed or caused the problem.
    ...(words[0] === 'kb' ? [lists.attention()] : []),
  ]);
}
