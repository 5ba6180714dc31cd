import { outputApi, undoApi } from '@aish/contracts/endpoints/files';
import type { ActionOutput } from '@aish/contracts/actions';
import type { ChangeList } from '@aish/contracts/effects';
import { outputLines } from '@aish/contracts/output-lines';
import type { Transport } from './transport.js';

/** Yields the complete stored output of an action, page by page. */
export async function* outputPages(
  transport: Transport,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<ActionOutput> {
  for (let from = 1; ;) {
    const page = await transport.call(outputApi.read, { params: { id }, query: { from } }, signal);
    yield page;
    from += outputLines(page.output).length;
    if (page.output === '' || from > page.lines) return;
  }
}

/** Maximum number of changes in a page. */
const CHANGES_AT_ONCE = 1000;

/**
 * Returns everything that an action changed in the files of its workspace.
 *
 * @throws ApiError `changes_not_kept`
 */
export async function actionChanges(transport: Transport, id: string, signal?: AbortSignal): Promise<ChangeList> {
  const page = (cursor?: string) =>
    transport.call(undoApi.changes, { params: { id }, query: { limit: CHANGES_AT_ONCE, cursor } }, signal);
  let last = await page();
  const items = [...last.items];
  while (last.next !== null) {
    last = await page(last.next);
    items.push(...last.items);
  }
  return { ...last, items };
}
