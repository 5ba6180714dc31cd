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
