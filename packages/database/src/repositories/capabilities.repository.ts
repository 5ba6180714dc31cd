import { ModelCapabilities } from '@aish/contracts/models';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** Returns the stored capabilities of the model behind an endpoint, or null. `model` is empty if none is configured. */
export async function findCapabilities(tx: Tx, baseUrl: string, model: string): Promise<ModelCapabilities | null> {
  const rows = await tx.$queryRaw<{ capabilities: unknown }[]>`
    select fit as capabilities from model_fits where base_url = ${baseUrl} and model = ${model}`;
  // A row of an older version may lack fields. Then aish probes the model again.
  return rows[0] === undefined ? null : (ModelCapabilities.safeParse(rows[0].capabilities).data ?? null);
}

export async function saveCapabilities(
  tx: Tx,
  baseUrl: string,
  model: string,
  capabilities: ModelCapabilities,
): Promise<void> {
  await tx.$executeRaw`
    insert into model_fits (base_url, model, fit) values (${baseUrl}, ${model}, ${storableJson(capabilities)}::jsonb)
    on conflict (base_url, model) do update set fit = excluded.fit, updated_at = now()`;
}

/** Whether a goal or a chat needs a model now. aish's own background work waits in that case. */
export async function isModelWanted(tx: Tx): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ wanted: boolean }[]>`
    select exists (select 1 from goals where state in ('queued', 'running') and not archived)
      or exists (select 1 from chats where state = 'running') as wanted`;
  return row?.wanted ?? false;
}
