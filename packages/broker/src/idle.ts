import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { exchangeJson } from './json.exchange.js';

const TIMEOUT_MS = 3_000;
const Slots = z.array(z.looseObject({ is_processing: z.boolean() })).min(1);

/**
 * Says whether the endpoint is idle, from llama.cpp's slots. Null if it answers without saying so. An endpoint that is
 * loading or does not answer is not idle.
 *
 * @throws AishError `aborted`
 */
export async function isIdle(preset: Preset, signal: AbortSignal): Promise<boolean | null> {
  const query = preset.model === null ? '' : `?model=${encodeURIComponent(preset.model)}`;
  try {
    const slots = await exchangeJson(preset, { method: 'GET', path: `/slots${query}` }, TIMEOUT_MS, signal);
    return Slots.safeParse(slots).data?.every(({ is_processing: isBusy }) => !isBusy) ?? null;
  } catch (error) {
    if (signal.aborted || !isAishError(error)) throw error;
    return isAishError(error, 'model_refused') ? null : false;
  }
}
