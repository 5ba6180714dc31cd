import { ActionOutput } from '@aish/contracts/actions';
import type { Transport } from './transport.js';

/** All that is stored of what an action printed. */
export function actionOutput(transport: Transport, actionId: string, signal?: AbortSignal): Promise<ActionOutput> {
  return transport.json(ActionOutput, { path: `/v1/actions/${encodeURIComponent(actionId)}/output` }, signal);
}
