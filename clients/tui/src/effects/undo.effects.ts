import { changeLine } from '@aish/contracts/effects';
import { actionChanges, actionOutput } from '../api/actions.api.js';
import { asApiError } from '../api/api.error.js';
import { plural } from '@aish/views/goal.format';
import { line, span, type Line, type Span } from '@aish/views/line';
import { colouredText, oneLine } from '@aish/views/sanitise';
import type { EffectOf, EffectTable, World } from './world.js';

/** What commands printed, and what they did, taken back. */
export const UNDO_EFFECTS: EffectTable<'foretellUndo' | 'pageOutput' | 'pageChanges'> = {
  foretellUndo,
  pageOutput,
  pageChanges,
};

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

async function pageOutput({ client, dispatch, signal }: World, effect: EffectOf<'pageOutput'>): Promise<void> {
  const { actionIds, nth } = effect;
  try {
    const { action, output, omittedBytes } = await actionOutput(client.transport, actionIds[nth] ?? '', signal);
    const cut = omittedBytes > 0 ? [line(`${omittedBytes} bytes of its middle are stored nowhere`, 'warn')] : [];
    dispatch({
      type: 'metaDone',
      title: oneLine(action),
      lines: [...cut, ...linesOf(colouredText(output.replace(/\n+$/, '')))],
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

async function pageChanges({ client, dispatch, signal }: World, effect: EffectOf<'pageChanges'>): Promise<void> {
  const { actionIds, nth } = effect;
  try {
    const { items, total, complete } = await actionChanges(client.transport, actionIds[nth] ?? '', signal);
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

/** The lines of a text with line breaks in its spans. */
function linesOf(text: Line): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const { text: piece, style } of text) {
    for (const [index, part] of piece.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push(span(part, style));
    }
  }
  return lines;
}
