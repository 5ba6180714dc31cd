import { outputApi } from '@aish/contracts/endpoints/files';
import { plural } from '@aish/contracts/plural';
import { linesOfOutput } from '@aish/views/output.lines';
import { oneLine } from '@aish/views/sanitise';
import type { ActionOutput, FoundInOutput } from '@aish/contracts/actions';
import { asApiError } from '@aish/client/api.error';
import { type EffectOf, type EffectTable, type World, asking } from './world.js';

/** The number of output lines to load at once. */
const LINES_AT_ONCE = 1_000;

export const OUTPUT_EFFECTS: EffectTable<'pageOutput' | 'readOutput' | 'findInOutput'> = {
  pageOutput,
  readOutput: asking<EffectOf<'readOutput'>, ActionOutput>(
    (client, { actionId, from }, signal) =>
      client.call(outputApi.read, { params: { id: actionId }, query: { from, limit: LINES_AT_ONCE } }, signal),
    ({ actionId, from, output, lines: total }, { at }) => ({
      type: 'outputRead',
      output: { actionId, from, total },
      lines: linesOfOutput(output),
      ...(at !== undefined && { at }),
    }),
    (error, { actionId }) => ({ type: 'outputRefused', actionId, error }),
  ),
  findInOutput: asking<EffectOf<'findInOutput'>, FoundInOutput>(
    (client, { actionId, text, from, back }, signal) =>
      client.call(outputApi.find, { params: { id: actionId }, query: { text, from, back } }, signal),
    ({ line }, { actionId, text }) => ({ type: 'outputFound', actionId, text, line }),
  ),
};

async function pageOutput({ client, dispatch, signal }: World, effect: EffectOf<'pageOutput'>): Promise<void> {
  const { actionIds, nth } = effect;
  try {
    const first = { from: 1, limit: LINES_AT_ONCE };
    const page = await client.call(outputApi.read, { params: { id: actionIds[nth] ?? '' }, query: first }, signal);
    const { actionId, action, output, from, lines: total, omittedBytes } = page;
    const cut = omittedBytes > 0 ? `${plural(omittedBytes, 'byte')} in the middle omitted · ` : '';
    dispatch({
      type: 'metaDone',
      title: cut + oneLine(action),
      lines: linesOfOutput(output),
      isGood: true,
      yes: null,
      candidates: 0,
      isPage: true,
      output: { actionId, from, total },
      ...(nth + 1 < actionIds.length && { older: { ...effect, nth: nth + 1 } }),
    });
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', error: asApiError(error) });
  }
}
