import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { exchangeJson } from './json.exchange.js';

const Slots = z.array(z.looseObject({ is_processing: z.boolean() })).min(1);
const SLOTS_TIMEOUT_MS = 3_000;

/** Whether a llama-server has nothing to do; false for one that does not say. */
export async function isIdle(preset: Preset, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await exchangeJson(preset, { method: 'GET', path: '/slots' }, SLOTS_TIMEOUT_MS, signal);
    return Slots.safeParse(answer).data?.every((slot) => !slot.is_processing) === true;
  } catch (error) {
    if (signal.aborted || !isAishError(error)) throw error;
    return false;
  }
}
