import type { Preset } from '@aish/contracts/config/presets.settings';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { exchangeJson } from './json.exchange.js';

const TIMEOUT_MS = 3_000;
const Tokens = z.looseObject({ tokens: z.array(z.unknown()) });

/** See `Broker.countTokens`. */
export async function countTokens(preset: Preset, text: string, signal: AbortSignal): Promise<number | null> {
  const body = { ...(preset.model === null ? {} : { model: preset.model }), content: text };
  try {
    const answer = await exchangeJson(preset, { method: 'POST', path: '/tokenize', body }, TIMEOUT_MS, signal);
    return Tokens.safeParse(answer).data?.tokens.length ?? null;
  } catch (error) {
    // Not llama.cpp, or busy: the caller estimates.
    if (signal.aborted || !isAishError(error) || error.code === 'aborted') throw error;
    return null;
  }
}
