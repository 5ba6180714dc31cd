import { ActionOutput, FoundInOutput } from '@aish/contracts/actions';
import { outputLines } from '@aish/contracts/output-lines';
import { ChangeList } from '@aish/contracts/effects';
import type { Transport } from './transport.js';

/** Lines of what an action printed, `from` one of them on. */
export function outputPage(
  transport: Transport,
  actionId: string,
  page: { readonly from: number; readonly limit?: number },
  signal?: AbortSignal,
): Promise<ActionOutput> {
  const limit = page.limit === undefined ? '' : `&limit=${page.limit}`;
  const path = `/v1/actions/${encodeURIComponent(actionId)}/output?from=${page.from}${limit}`;
  return transport.json(ActionOutput, { path }, signal);
}

/** All that is kept of what an action printed, page by page. */
export async function* outputPages(
  transport: Transport,
  actionId: string,
  signal?: AbortSignal,
): AsyncGenerator<ActionOutput> {
  for (let from = 1; ;) {
    const page = await outputPage(transport, actionId, { from }, signal);
    yield page;
    from += outputLines(page.output).length;
    if (page.output === '' || from > page.lines) return;
  }
}

/** The number of the line that has a text, from a line on; null when none has. */
export async function lineInOutput(
  transport: Transport,
  actionId: string,
  wanted: { readonly text: string; readonly from: number; readonly back: boolean },
  signal?: AbortSignal,
): Promise<number | null> {
  const query = new URLSearchParams({ text: wanted.text, from: String(wanted.from), back: String(wanted.back) });
  const path = `/v1/actions/${encodeURIComponent(actionId)}/output/line?${query.toString()}`;
  return (await transport.json(FoundInOutput, { path }, signal)).line;
}

/** A page is as long as this at most. */
const CHANGES_AT_ONCE = 1000;

/** All that an action did to the files of its workspace. @throws ApiError `changes_not_kept` */
export async function actionChanges(transport: Transport, actionId: string, signal?: AbortSignal): Promise<ChangeList> {
  const path = `/v1/actions/${encodeURIComponent(actionId)}/changes?limit=${CHANGES_AT_ONCE}`;
  let last = await transport.json(ChangeList, { path }, signal);
  const items = [...last.items];
  while (last.next !== null) {
    last = await transport.json(ChangeList, { path: `${path}&cursor=${last.next}` }, signal);
    items.push(...last.items);
  }
  return { ...last, items };
}
