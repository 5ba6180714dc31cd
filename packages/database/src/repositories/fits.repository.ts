import { ModelFit } from '@aish/contracts/models';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** What is known of the model behind an endpoint, or null. `model` is empty where none is configured. */
export async function findFit(tx: Tx, baseUrl: string, model: string): Promise<ModelFit | null> {
  const rows = await tx.$queryRaw<{ fit: unknown }[]>`
    select fit from model_fits where base_url = ${baseUrl} and model = ${model}`;
  // What an older version wrote may lack fields: then it is found out anew.
  return rows[0] === undefined ? null : (ModelFit.safeParse(rows[0].fit).data ?? null);
}

export async function saveFit(tx: Tx, baseUrl: string, model: string, fit: ModelFit): Promise<void> {
  await tx.$executeRaw`
    insert into model_fits (base_url, model, fit) values (${baseUrl}, ${model}, ${storableJson(fit)}::jsonb)
    on conflict (base_url, model) do update set fit = excluded.fit, updated_at = now()`;
}

/** Whether a goal or a chat needs a model now: what aish does for itself waits. */
export async function isModelWanted(tx: Tx): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ wanted: boolean }[]>`
    select exists (select 1 from goals where state in ('queued', 'running') and not archived)
      or exists (select 1 from chats where state = 'running') as wanted`;
  return row?.wanted ?? false;
}
