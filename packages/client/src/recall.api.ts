import { RecallHits, type RecallKind } from '@aish/contracts/recall';
import { queryOf } from './memory.api.js';
import type { Transport } from './transport.js';

export function recall(
  transport: Transport,
  query: { readonly q: string; readonly limit?: number | undefined; readonly kind?: RecallKind | undefined },
  signal?: AbortSignal,
): Promise<RecallHits> {
  return transport.json(RecallHits, { path: `/v1/recall${queryOf(query)}` }, signal);
}
