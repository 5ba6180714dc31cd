import type { Preset } from '@aish/contracts/config/presets.settings';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { exchangeJson } from './json.exchange.js';

const Embeddings = z.looseObject({
  model: z.string().optional(),
  data: z.array(z.looseObject({ index: z.int(), embedding: z.array(z.number()).min(1) })),
});

/** Vectors in the order of their texts, and the model that computed them. */
export interface Embedded {
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
}

/**
 * Gets embeddings from a preset's endpoint (`/v1/embeddings`).
 *
 * @throws AishError `model_bad_stream` for an invalid answer, and the errors of `exchangeJson`.
 */
export async function embed(
  preset: Preset,
  texts: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Embedded> {
  const body = { input: texts, ...(preset.model === null ? {} : { model: preset.model }) };
  const answer = await exchangeJson(preset, { method: 'POST', path: '/v1/embeddings', body }, timeoutMs, signal);
  const parsed = Embeddings.safeParse(answer);
  const vectors = parsed.data?.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding) ?? [];
  const [first] = vectors;
  if (vectors.length !== texts.length || vectors.some(({ length }) => length !== first?.length)) {
    throw new AishError('model_bad_stream', 'The endpoint does not return embeddings in OpenAI’s format');
  }
  return { model: parsed.data?.model ?? preset.model ?? preset.baseUrl, vectors };
}
