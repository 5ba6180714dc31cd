import { ActionOutput } from '@aish/contracts/actions';
import { ChangeList } from '@aish/contracts/effects';
import type { Transport } from './transport.js';

/** All that is stored of what an action printed. */
export function actionOutput(transport: Transport, actionId: string, signal?: AbortSignal): Promise<ActionOutput> {
  return transport.json(ActionOutput, { path: `/v1/actions/${encodeURIComponent(actionId)}/output` }, signal);
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
